// The findings of a campaign on one target, kept in a folder each.
//
//   findings/<slug>/input          the smallest input that shows it
//   findings/<slug>/original       the input that it was found with
//   findings/<slug>/finding.json   signature, kind, rule, what, size, how often
//   triaged                        names of the artefacts that have been looked at
//
// A folder appears whole or not at all, and an artefact counts as looked at only once its
// finding is there: whoever kills the program loses nothing but the work of one moment.

#ifndef GCTS_FUZZ_CAMPAIGN_FINDINGS_H_
#define GCTS_FUZZ_CAMPAIGN_FINDINGS_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign/engine.h"
#include "fuzz/campaign/signature.h"
#include "fuzz/campaign/targets.h"
#include "reference/gguf.h"

namespace gcts {

struct FuzzFinding {
  Failure failure;
  std::string target;
  std::string folder;      // of this finding
  Bytes input;             // the smallest
  uint64_t seen = 1;       // artefacts that show it
  bool repeats = true;     // fails again by itself
};

class FuzzFindings {
 public:
  // `folder`: of the campaign on the target; read as it stands.
  FuzzFindings(const FuzzTarget& target, const Engine& engine, std::string folder, std::vector<std::string> environment);

  // Looks at artefacts in found/ that nobody has looked at, and returns how many were new
  // findings.  Each is minimised for at most `seconds` of time.
  size_t triage(double seconds, const std::function<bool()>& stop);

  // Runs the target on one input, as it would for anybody.
  EngineRun run_on(const std::string& path) const;

  const std::vector<FuzzFinding>& all() const { return findings_; }

 private:
  void load();
  bool look_at(const std::string& artefact, double seconds, const std::function<bool()>& stop);
  void keep(FuzzFinding finding, const Bytes& original);
  Bytes smallest(const Bytes& input, const Failure& failure, double seconds, const std::function<bool()>& stop) const;

  const FuzzTarget& target_;
  const Engine& engine_;
  std::string folder_;
  std::vector<std::string> environment_;
  std::vector<FuzzFinding> findings_;
  std::set<std::string> triaged_;
};

Bytes read_whole(const std::string& path);
// Writes beside the place and moves: the file is there whole or not at all.
bool write_whole(const std::string& path, std::string_view bytes);
std::string_view text_of(const Bytes& bytes);

}  // namespace gcts

#endif  // GCTS_FUZZ_CAMPAIGN_FINDINGS_H_
