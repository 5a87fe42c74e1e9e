// From an answer to an outcome.
//
// Only an explicit reject satisfies a case that must be rejected, only an accept with
// the right contents one that must be accepted.  A crash, a limit or a leak is its own
// outcome whatever was expected.

#ifndef GCTS_HARNESS_JUDGE_H_
#define GCTS_HARNESS_JUDGE_H_

#include <string>

#include "corpus/case.h"
#include "harness/implementation.h"
#include "harness/prepared_case.h"
#include "reports/report.h"

namespace gcts {

struct Judgement {
  Outcome outcome = Outcome::pass;
  std::string expected;  // "accept", "reject", "any verdict", "refuse", ...
  std::string actual;    // "accept", "SIGSEGV", "no answer", ...
  std::string message;   // one sentence
  bool accepted = false; // an explicit accept, right or wrong in its contents
};

// What the profile and the implementation make of a case.
struct Terms {
  Expectation expectation = Expectation::valid;
  bool digests = true;         // the implementation hands tensor bytes over
  bool tells_contents = true;
  bool tells_order = true;
  bool is_process = false;       // may leave facts out, and digests are SHA-256
  const Profile* profile = nullptr;
  bool strict = false;
};

// Under strict a file that breaks a `should` rule is held to be invalid too.
Expectation expected_under(const Case& c, const Profile& profile, bool strict);

Judgement judge_read(const PreparedCase& prepared, const Terms& terms, const Answer& answer);
Judgement judge_write(const Case& c, const WriteCase& write, const Terms& terms, const Answer& answer);

// The outcomes that do not depend on what was expected: crash, timeout, memory, protocol,
// leak.  False if the answer is an ordinary verdict.
bool judge_accident(const Answer& answer, Judgement& out);

}  // namespace gcts

#endif  // GCTS_HARNESS_JUDGE_H_
