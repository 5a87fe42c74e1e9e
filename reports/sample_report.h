// A report with every outcome and with hostile text in every field, for the tests.

#ifndef GCTS_REPORTS_SAMPLE_REPORT_H_
#define GCTS_REPORTS_SAMPLE_REPORT_H_

#include "reports/report.h"

namespace gcts {

// Text that has something for every format to trip over.
inline const std::string kHostile[] = {
    "\x1b[31mred\x1b[0m \x07",
    std::string("nul \0 inside", 12),
    "<script>alert(\"&amp;'\")</script>]]>",
    "=HYPERLINK(\"http://example.org\",\"click\")",
    "a|b `code` **bold** [x](y) @someone #1 ``two``",
    "line one\nok 99 - smuggled\r\n\tnot ok",
    "right\xe2\x80\xaeto left \xe2\x80\x8b zero width \xef\xbb\xbf bom",
    "bad utf-8 \xc3\x28 \xed\xa0\x80 \xf8\x88 \xff",
    "non-characters \xef\xbf\xbe \xef\xbf\xbf \xf4\x8f\xbf\xbf",
    "good: \xc3\xa9\xe4\xb8\xad\xf0\x9f\x99\x82 # TODO not really",
    "\\backslash \"quote\", comma; ${jndi}",
    "-1+2",
};

inline Report sample_report() {
  Report report;
  report.suite_version = "0.1.0";
  report.command = "gguf-cts run --plugin 'a b.so'";
  report.profile = "spec";
  report.tier = "smoke";
  report.seed = 18446744073709551615ull;
  report.started = "2026-01-02T03:04:05Z";
  report.wall_seconds = 2.5;
  report.machine = {{"cpu", "Example \x1b[1mCPU"}, {"compiler", "gcc 12"}};
  report.subjects = {{"reference", "0.1.0", "plugin", "reference.so", "gguf-cts run --plugin reference.so"},
                     {"hostile \x1b]0;title\x07|<b>", "1\n2", "process", kHostile[2]}};
  report.absent = {{"absent </p>|", "no \x07 " + kHostile[4]}};
  report.rules = {{"tensor_offset_aligned", "OFF-002", "must", "tensors", "An offset is a multiple of " + kHostile[2], kHostile[4], kHostile[6]}};
  Result good;
  good.case_id = "format/valid/header/magic";
  good.rule = "magic";
  good.rule_id = "HDR-001";
  good.level = "must";
  good.expected = good.actual = "accept";
  good.wall_seconds = 0.001;
  good.cpu_seconds = 0.0005;
  good.peak_bytes = 4096;
  good.measures = {{"GB/s", 12.5}, {"error/bound", 1e-9}};
  report.results.push_back(good);
  for (size_t i = 0; i < kOutcomeCount + 3; ++i) {
    Result result = good;
    result.subject = 1;
    result.case_id = "format/invalid/tensors/offset." + std::to_string(i);
    result.outcome = result.raw = static_cast<Outcome>(i < kOutcomeCount ? i : 1);
    if (result.outcome == Outcome::xfail) result.raw = Outcome::crash;
    if (result.outcome == Outcome::xpass) result.raw = Outcome::pass;
    if (i >= 6) {
      result.rule = "tensor_offset_aligned";
      result.rule_id = "OFF-002";
    }
    result.expected = "reject";
    result.message = kHostile[i % std::size(kHostile)];
    result.actual = kHostile[(i + 5) % std::size(kHostile)];
    result.repro = "gguf-cts run --plugin 'x y.so' --run " + result.case_id + (i == 3 ? " # `" + kHostile[4] : "");
    report.results.push_back(result);
  }
  report.faults = {
      {"offset_unchecked", "format/invalid/tensors/*", "a reader | that <trusts>", true, {"format/invalid/tensors/offset.1"}, ""},
      {"never_caught\x1b", "format/invalid/header/*", "", false, {}, "the healthy twin fails too: " + kHostile[5]},
  };
  report.void_reason = "control missed: " + kHostile[0];
  return report;
}

}  // namespace gcts

#endif  // GCTS_REPORTS_SAMPLE_REPORT_H_
