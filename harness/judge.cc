// Judgement of reading.

#include "harness/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "gcts/plugin.h"
#include "harness/contents_diff.h"
#include "harness/contents_told.h"

namespace gcts {
namespace {

std::string_view verb(Expectation expectation) {
  switch (expectation) {
    case Expectation::valid: return "accept";
    case Expectation::invalid: return "reject";
    case Expectation::either: break;
  }
  return "any verdict";
}

std::string status_text(const Answer& answer) {
  switch (answer.status) {
    case GCTS_OK: return "accept";
    case GCTS_REJECTED: return answer.weak ? "weak reject" : "reject";
    case GCTS_UNSUPPORTED: return "unsupported";
    case GCTS_FAILED: return "failed";
    default: return fmt::format("status {}", answer.status);
  }
}

std::string with_words(std::string text, const Answer& answer) {
  return answer.message.empty() ? text : text + ": " + answer.message;
}

// The declared limit that a case goes beyond, "string=16777216"; "" if none.
std::string_view declared_limit(const Case& c) {
  constexpr std::string_view kPrefix = "limit:";
  for (const std::string& tag : c.tags) {
    if (tag.starts_with(kPrefix)) return std::string_view(tag).substr(kPrefix.size());
  }
  return {};
}

std::string broken_rule(const Case& c, const Profile& profile, bool strict) {
  const auto counts = [&](rule::Index index) {
    const Severity severity = profile.severity(index);
    return severity == Severity::must || (strict && severity == Severity::should);
  };
  rule::Index broken = c.rule;
  for (rule::Index index : c.breaks) {
    if (counts(index)) {
      broken = index;
      break;
    }
  }
  if (broken >= rule::kCount) return c.comment;
  const Rule& rule = rule_at(broken);
  return fmt::format("{} ({}): {}", rule.name, rule.id, rule.statement);
}

void judge_contents(const PreparedCase& prepared, const Terms& terms, const Answer& answer, Judgement& out) {
  if (!terms.tells_contents) return;
  if (!answer.misuse.empty()) {
    out.outcome = Outcome::protocol;
    out.message = "misuses the sink: " + answer.misuse;
    return;
  }
  // What an undefined file holds is undefined too.
  if (prepared.source().reason == "undefined") return;
  const std::vector<uint8_t>* expected = prepared.contents(terms.digests, terms.is_process);
  if (!expected) return;
  std::span<const uint8_t> actual = answer.output;
  std::vector<uint8_t> told, ordered;
  if (terms.is_process) {
    if (!terms.tells_order) actual = ordered = in_order_of(*expected, actual);
    told = as_told(*expected, actual);
    expected = &told;
  }
  if (std::equal(expected->begin(), expected->end(), actual.begin(), actual.end())) return;
  out.outcome = Outcome::fail;
  out.message = "accepts, with wrong contents: " + first_difference(*expected, actual).sentence();
}

}  // namespace

Expectation expected_under(const Case& c, const Profile& profile, bool strict) {
  if (strict) {
    for (rule::Index index : c.breaks) {
      if (profile.severity(index) == Severity::should) return Expectation::invalid;
    }
  }
  return c.expected(profile);
}

bool judge_accident(const Answer& answer, Judgement& out) {
  switch (answer.kind) {
    case AnswerKind::verdict: {
      if (answer.status < GCTS_OK || answer.status > GCTS_FAILED) {
        out.outcome = Outcome::protocol;
        out.actual = status_text(answer);
        out.message = fmt::format("returns status {}, which is none of gcts_status", answer.status);
        return true;
      }
      if (answer.leaked_bytes == 0 && answer.leaked_fds == 0) return false;
      out.outcome = Outcome::memory;
      out.actual = "leak";
      out.message = answer.leaked_bytes ? fmt::format("every call keeps {} bytes of heap", answer.leaked_bytes)
                                        : fmt::format("every call keeps {} open file(s)", answer.leaked_fds);
      return true;
    }
    case AnswerKind::crash:
      out.outcome = Outcome::crash;
      out.actual = answer.message.starts_with("SIG") ? answer.message.substr(0, answer.message.find_first_of(": ("))
                                                     : "crash";
      break;
    case AnswerKind::timeout:
      out.outcome = Outcome::timeout;
      out.actual = "no answer";
      break;
    case AnswerKind::memory:
      out.outcome = Outcome::memory;
      out.actual = "over memory";
      break;
    case AnswerKind::protocol:
    case AnswerKind::unusable:
      out.outcome = Outcome::protocol;
      out.actual = "no answer";
      break;
  }
  out.message = answer.message;
  return true;
}

Judgement judge_read(const PreparedCase& prepared, const Terms& terms, const Answer& answer) {
  const Case& c = prepared.source();
  Judgement out;
  out.expected = verb(terms.expectation);
  out.accepted = answer.kind == AnswerKind::verdict && answer.status == GCTS_OK;
  if (judge_accident(answer, out)) return out;
  out.actual = status_text(answer);

  const std::string_view limit = declared_limit(c);
  if (!limit.empty() && (answer.status == GCTS_REJECTED || answer.status == GCTS_UNSUPPORTED)) {
    if (terms.expectation != Expectation::invalid || answer.status == GCTS_UNSUPPORTED) {
      out.outcome = Outcome::skip;
      out.message = with_words(fmt::format("declared limit ({})", limit), answer);
      return out;
    }
  }
  if (answer.status == GCTS_OK) {
    if (terms.expectation == Expectation::invalid) {
      out.outcome = Outcome::fail;
      out.message = "accepts a file that breaks " + broken_rule(c, *terms.profile, terms.strict);
      return out;
    }
    judge_contents(prepared, terms, answer, out);
    return out;
  }
  out.message = answer.message;
  if (terms.expectation == Expectation::either) return out;
  if (terms.expectation == Expectation::invalid && answer.status == GCTS_REJECTED) {
    if (!answer.weak || answer.weak_matches) return out;
    out.outcome = Outcome::untrusted;
    out.message = with_words("an exit status is no verdict: the output does not match --reject-pattern", answer);
    return out;
  }
  out.outcome = Outcome::fail;
  if (terms.expectation == Expectation::valid) {
    out.message = with_words(answer.status == GCTS_REJECTED ? "rejects a valid file" : "does not read a valid file (" + out.actual + ")", answer);
  } else {
    out.message = with_words("'" + out.actual + "' is no reject", answer);
  }
  return out;
}

}  // namespace gcts
