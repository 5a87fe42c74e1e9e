// The verb check: what is wrong with these files.

#include <unistd.h>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/check_result.h"
#include "harness/model_manifest.h"
#include "harness/checked_model.h"
#include "harness/options.h"
#include "harness/value_text.h"
#include "reference/tensor_type.h"
#include "reports/escape.h"

namespace gcts {
namespace {

// How many complaints of a kind people are shown.
constexpr size_t kMostShown = 20;

struct Wishes {
  Profile profile;
  const Profile* compare_with = nullptr;
  bool strict = false, json = false, summary = false, no_data = false;
  std::string manifest_out, manifest_in;

  bool digests() const { return !manifest_out.empty() || !manifest_in.empty(); }
};

std::string summary_json(const CheckedModel& model) {
  std::string out = "[";
  for (const CheckedFile& part : model.parts) {
    for (size_t i = 0; i < part.scans.size(); ++i) {
      if (!part.scans[i].summary) continue;
      const TensorSummary& s = *part.scans[i].summary;
      out += fmt::format("{}{{\"name\":{},\"elements\":{},\"min\":{},\"max\":{},\"mean\":{},\"deviation\":{},\"zeros\":{},\"outliers\":{},"
                         "\"outlier_threshold\":{},\"repeated_units\":{},\"units\":{},\"nan\":{},\"infinite\":{}}}",
                         out.size() > 1 ? "," : "", json_string(part.reading.tensors[i].name), s.elements(), s.min(), s.max(), s.mean(),
                         s.deviation(), s.zeros(), s.outliers(), s.outlier_threshold(), s.repeated_units(), s.units(), s.nan(), s.infinite());
    }
  }
  return out + "]";
}

void write_json(const CheckedModel& model, const CheckResult& result, const Wishes& wishes, std::ostream& out) {
  out << "{\"file\":" << json_string(model.name()) << ",\"verdict\":\"" << verdict_name(result.verdict) << "\",\"findings\":[";
  bool first = true;
  for (const Complaint& complaint : result.complaints) {
    const std::string where = model.parts.size() > 1 ? complaint.file + ": " : "";
    out << (first ? "" : ",")
        << fmt::format("{{\"rule\":{},\"level\":\"{}\",\"offset\":{},\"message\":{}}}", json_string(complaint.rule),
                       severity_name(complaint.severity), complaint.offset, json_string(where + complaint.message));
    first = false;
  }
  out << ']';
  if (wishes.summary) out << ",\"summary\":" << summary_json(model);
  out << "}\n" << std::flush;
}

void write_complaints(const CheckResult& result, Severity severity, bool name_file, std::ostream& out) {
  size_t shown = 0, left = 0;
  std::string last_rule;
  for (const Complaint& complaint : result.complaints) {
    if (complaint.severity != severity) continue;
    if (shown == kMostShown) {
      ++left;
      continue;
    }
    ++shown;
    out << "  ";
    if (name_file) out << escape_terminal(complaint.file) << ' ';
    out << fmt::format("byte {}: {}{}{}: {}", complaint.offset, complaint.id, complaint.id.empty() ? "" : " ", complaint.rule,
                       escape_terminal(complaint.message))
        << (complaint.root ? "\n" : " (follows from the above)\n");
    if (complaint.rule != last_rule) {
      out << "      rule: " << complaint.statement << '\n';
      if (!complaint.advice.empty()) out << "      do:   " << complaint.advice << '\n';
    }
    last_rule = complaint.rule;
  }
  if (left > 0) out << "  … and " << left << " more: --json lists them\n";
}

void write_summary(const CheckedModel& model, std::ostream& out) {
  out << fmt::format("  {:<10} {:>12} {:>11} {:>11} {:>11} {:>11} {:>8} {:>9} {:>9} {:>6} {:>6}  tensor\n", "type", "elements", "min", "max",
                     "mean", "deviation", "zeros %", "outliers", "repeated", "NaN", "inf");
  for (const CheckedFile& part : model.parts) {
    for (size_t i = 0; i < part.scans.size(); ++i) {
      if (!part.scans[i].summary) continue;
      const TensorSummary& s = *part.scans[i].summary;
      const TensorView& tensor = part.reading.tensors[i];
      const double share = s.elements() == 0 ? 0 : 100.0 * static_cast<double>(s.zeros()) / static_cast<double>(s.elements());
      out << fmt::format("  {:<10} {:>12} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.4g} {:>8.2f} {:>9} {:>9} {:>6} {:>6}  {}\n",
                         find_tensor_type(tensor.type)->name, s.elements(), s.min(), s.max(), s.mean(), s.deviation(), share, s.outliers(),
                         s.repeated_units(), s.nan(), s.infinite(), escape_terminal(tensor.name));
    }
  }
}

std::string plural(uint64_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

void write_text(const CheckedModel& model, const CheckResult& result, const Wishes& wishes, std::ostream& out) {
  uint64_t keys = 0, tensors = 0, musts = 0, shoulds = 0;
  for (const CheckedFile& part : model.parts) {
    keys += part.reading.metadata.size();
    tensors += part.reading.tensors.size();
  }
  for (const Complaint& complaint : result.complaints) ++(complaint.severity == Severity::must ? musts : shoulds);
  const Reading& first = model.parts.front().reading;
  out << escape_terminal(model.name());
  if (model.parts.size() > 1) out << " and " << plural(model.parts.size() - 1, "further shard");
  out << fmt::format(": {} (profile {}{}; GGUF {}, {}-endian, {}, {}", verdict_name(result.verdict),
                     escape_terminal(wishes.profile.name()), wishes.strict ? ", strict" : "", first.layout.version,
                     first.layout.order == ByteOrder::little ? "little" : "big", plural(keys, "key"), plural(tensors, "tensor"));
  if (shoulds > 0) out << ", " << plural(shoulds, "warning");
  out << ")\n";
  write_complaints(result, Severity::must, model.parts.size() > 1, out);
  if (shoulds > 0) {
    out << (wishes.strict ? "  recommended, and demanded by --strict:\n" : "  recommended:\n");
    write_complaints(result, Severity::should, model.parts.size() > 1, out);
  }
  for (const std::string& note : result.notes) out << "  note: " << escape_terminal(note) << '\n';
  if (wishes.summary) write_summary(model, out);
  out << std::flush;
}

void show_progress(uint64_t done, uint64_t total) {
  std::cerr << fmt::format("\r\x1b[K{:.0f} % of {}", total == 0 ? 100.0 : 100.0 * static_cast<double>(done) / static_cast<double>(total),
                           short_number(static_cast<double>(total), "B"))
            << std::flush;
}

int complain(const std::string& text) {
  std::cerr << "gguf-cts check: " << escape_terminal(text) << '\n';
  return kUsageError;
}

// Writes or compares the manifest.  False after an explanation.
bool apply_manifest(const CheckedModel& model, const Wishes& wishes, CheckResult& result) {
  if (!wishes.manifest_out.empty()) {
    std::ofstream out(wishes.manifest_out, std::ios::binary);
    write_manifest(manifest_of(model), out);
    out.close();
    if (!out) {
      complain(wishes.manifest_out + ": cannot be written");
      return false;
    }
  }
  if (!wishes.manifest_in.empty()) {
    std::ifstream in(wishes.manifest_in, std::ios::binary);
    ModelManifest expected;
    std::string error = "cannot be opened";
    if (!in || !read_manifest(in, expected, error)) {
      complain(wishes.manifest_in + ": " + error);
      return false;
    }
    for (std::string& difference : manifest_differences(expected, manifest_of(model))) {
      add_difference(result, model.name(), std::move(difference));
    }
  }
  return true;
}

// The exit status that one model asks for.
int check_model(const std::vector<std::string>& paths, const Wishes& wishes) {
  ScanOptions scan;
  scan.strict = wishes.strict;
  scan.digest = wishes.digests();
  scan.summarize = wishes.summary;
  scan.validate = !wishes.no_data;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) scan.progress = show_progress;
  CheckedModel model;
  std::string error;
  const bool loaded = load_model(paths, scan, scan.validate || scan.digest || scan.summarize, model, error);
  if (terminal) std::cerr << "\r\x1b[K" << std::flush;
  if (!loaded) return complain(error);
  if (model.changed()) return complain(model.name() + ": changed while it was read, so it is not judged; check it again");
  CheckResult result = judge_model(model, wishes.profile, wishes.strict, wishes.compare_with);
  if (!apply_manifest(model, wishes, result)) return kUsageError;
  if (wishes.json) write_json(model, result, wishes, std::cout);
  else write_text(model, result, wishes, std::cout);
  return result.verdict == Verdict::valid ? 0 : 1;
}

}  // namespace

int verb_check(int argc, char** argv) {
  std::vector<std::string> files;
  std::string profile_name;
  Wishes wishes;
  Options options("check", "FILE... [--profile P] [--strict] [--json] [--summary] [--manifest OUT | --verify MANIFEST]",
                  "Says what is wrong with GGUF files: format, metadata, and the bytes of every tensor.");
  options.value("profile,p", profile_name, "P", "spec (the document), ggml (what loads in practice; the default) or a profile file");
  options.flag("strict", wishes.strict, "what is recommended counts too, and blocks that implementations read differently");
  options.flag("json", wishes.json, "one JSON object a line for each model");
  options.flag("summary", wishes.summary, "statistics of each tensor's values");
  options.flag("no-data", wishes.no_data, "do not look at the values of the tensors");
  options.value("manifest", wishes.manifest_out, "OUT", "write the SHA-256 of each tensor and one over all");
  options.value("verify", wishes.manifest_in, "MANIFEST", "compare with a manifest; names the tensors that differ");
  options.positional("FILE", files, "files to check; one shard of a split set stands for the set; - is standard input", 1);
  options.note(
      "JSON: {\"file\", \"verdict\": \"valid\"|\"invalid\", \"findings\": [{\"rule\", \"level\": \"must\"|\"should\", \"offset\", \"message\"}]}.\n"
      "Ends 0 if no must rule of the profile is broken, 1 if one is, 2 if a file cannot be judged: it cannot be opened,\n"
      "or it changed while it was read.");
  if (const auto status = options.parse(argc, argv)) return *status;
  std::string error;
  if (!Profile::load(profile_name.empty() ? "ggml" : profile_name, wishes.profile, error)) return options.usage_error(escape_terminal(error));
  const Profile document = Profile::builtin(BuiltinProfile::spec);
  if (profile_name.empty()) wishes.compare_with = &document;

  const auto models = group_into_models(files);
  if (!wishes.manifest_out.empty() && !wishes.manifest_in.empty()) return options.usage_error("--manifest and --verify exclude each other");
  if (wishes.digests() && models.size() != 1) return options.usage_error("--manifest and --verify take one model");
  int status = 0;
  for (const auto& paths : models) status = std::max(status, check_model(paths, wishes));
  return status;
}

}  // namespace gcts
