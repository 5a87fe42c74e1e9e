// What is said about a model; see check_result.h.

#include "harness/check_result.h"

#include <algorithm>

#include <fmt/format.h>

#include "reference/tensor_type.h"

namespace gcts {
namespace {

struct Advice {
  std::string_view area, text;
};
constexpr Advice kAdvice[] = {
#define ADVICE(area, text) {#area, text},
#include "harness/advice.inc"
#undef ADVICE
};

std::string advice_for(std::string_view area) {
  const auto found = std::find_if(std::begin(kAdvice), std::end(kAdvice), [&](const Advice& advice) { return advice.area == area; });
  return found == std::end(kAdvice) ? std::string() : std::string(found->text);
}

void add_finding(const std::string& file, const Finding& finding, const Profile& profile, std::vector<Complaint>& out) {
  const Severity severity = profile.severity(finding.rule);
  if (severity == Severity::off) return;
  const Rule& rule = rule_at(finding.rule);
  out.push_back({file, std::string(rule.id), std::string(rule.name), severity, finding.root, finding.offset, finding.message,
                 std::string(rule.statement), advice_for(rule.area)});
}

// The metadata schema is about the model; of a set the first shard describes it.
bool is_schema(const Finding& finding) {
  const std::string_view area = rule_at(finding.rule).area;
  return area == "architecture" || area == "tokenizer";
}

void add_data_faults(const CheckedFile& part, std::vector<Complaint>& out) {
  for (size_t i = 0; i < part.scans.size(); ++i) {
    const TensorFault& fault = part.scans[i].fault;
    if (fault.blocks == 0) continue;
    const TensorView& tensor = part.reading.tensors[i];
    const TensorType* type = find_tensor_type(tensor.type);
    Complaint complaint;
    complaint.file = part.path;
    complaint.rule = "tensor_data";
    complaint.severity = fault.strict_only ? Severity::should : Severity::must;
    complaint.offset = fault.offset;
    complaint.message = fmt::format("tensor \"{}\" ({}): block {}, at byte {} of the file: {}", tensor.name, type->name, fault.first_block,
                                    fault.offset, fault.what);
    if (fault.blocks > 1) complaint.message += fmt::format("; {} blocks of it are illegal", fault.blocks);
    complaint.statement = "Blocks hold no scale, offset or plain value that is NaN or infinite, and no code without a meaning.";
    complaint.advice = advice_for(complaint.rule);
    out.push_back(std::move(complaint));
  }
}

Verdict verdict_of(const std::vector<Complaint>& complaints, bool strict) {
  const bool bad = std::any_of(complaints.begin(), complaints.end(),
                               [&](const Complaint& c) { return c.severity == Severity::must || (strict && c.severity == Severity::should); });
  return bad ? Verdict::invalid : Verdict::valid;
}

std::vector<Complaint> complaints_of(const CheckedModel& model, const Profile& profile) {
  std::vector<Complaint> out;
  for (const CheckedFile& part : model.parts) {
    for (const Finding& finding : part.reading.findings.all()) {
      if (&part == &model.parts.front() || !is_schema(finding)) add_finding(part.path, finding, profile, out);
    }
  }
  for (const SetFinding& finding : model.set_findings) add_finding(model.parts[finding.file].path, finding.finding, profile, out);
  for (const CheckedFile& part : model.parts) add_data_faults(part, out);
  return out;
}

// Must before should; the order of each stays.
void sort(std::vector<Complaint>& complaints) {
  std::vector<Complaint> sorted;
  for (const bool must : {true, false}) {
    for (Complaint& complaint : complaints) {
      if ((complaint.severity == Severity::must) == must) sorted.push_back(std::move(complaint));
    }
  }
  complaints = std::move(sorted);
}

// Where `other` judges otherwise, and for which rules.
void add_notes(const CheckedModel& model, const Profile& profile, const Profile& other, bool strict, CheckResult& out) {
  const std::vector<Complaint> theirs = complaints_of(model, other);
  const Verdict verdict = verdict_of(theirs, strict);
  if (verdict == out.verdict) return;
  out.notes.push_back(fmt::format("under profile {} the verdict is {}", other.name(), verdict_name(verdict)));
  const bool we_refuse = out.verdict == Verdict::invalid;
  for (const Complaint& complaint : we_refuse ? out.complaints : theirs) {
    const Rule* rule = find_rule(complaint.rule);
    if (complaint.severity != Severity::must || rule == nullptr) continue;
    const auto index = static_cast<rule::Index>(rule - rules().data());
    out.notes.push_back(fmt::format("{} {} is {} under {} and {} under {}: byte {}: {}", complaint.id, complaint.rule,
                                    severity_name(profile.severity(index)), profile.name(), severity_name(other.severity(index)),
                                    other.name(), complaint.offset, complaint.message));
  }
}

}  // namespace

CheckResult judge_model(const CheckedModel& model, const Profile& profile, bool strict, const Profile* compare_with) {
  CheckResult out;
  out.complaints = complaints_of(model, profile);
  out.verdict = verdict_of(out.complaints, strict);
  sort(out.complaints);
  if (compare_with != nullptr) add_notes(model, profile, *compare_with, strict, out);
  return out;
}

bool is_usable(const Reading& reading) {
  auto accepts = [&](BuiltinProfile which) { return judge(reading.findings, Profile::builtin(which)) == Verdict::valid; };
  return reading.complete && (accepts(BuiltinProfile::ggml) || accepts(BuiltinProfile::spec));
}

void add_difference(CheckResult& result, const std::string& file, std::string message) {
  Complaint complaint;
  complaint.file = file;
  complaint.rule = "manifest";
  complaint.message = std::move(message);
  complaint.statement = "The model is the one that the manifest was made from.";
  complaint.advice = advice_for("manifest");
  result.complaints.push_back(std::move(complaint));
  sort(result.complaints);
  result.verdict = Verdict::invalid;
}

}  // namespace gcts
