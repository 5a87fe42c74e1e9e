// The hardware report: speeds as one page for a browser, which needs nothing but itself.
//
// Words first: what the machine does, and what that means for a model.  Then pictures, then
// every number.  The page is well-formed XML too.

#ifndef GCTS_REPORTS_SPEED_PAGE_H_
#define GCTS_REPORTS_SPEED_PAGE_H_

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"
#include "reports/speed.h"

namespace gcts {

void write_speed_page(const Report& report, const Style& style, std::ostream& out);

extern const std::string_view kSpeedStyle;

// What the parts of the page share.
struct SpeedPage {
  const Report& report;
  const Speeds speeds;
  std::ostream& out;

  std::string subject_name(uint32_t subject) const;
  // Everything measured, in the order of the report, each once.
  std::vector<std::string> questions() const;
  std::vector<const Speed*> answers(const std::string& question) const;
};

// Parts that are tables.
void write_heat_map(const SpeedPage& page);
void write_reader_table(const SpeedPage& page);
void write_ceiling_table(const SpeedPage& page);
void write_all_numbers(const SpeedPage& page);
void write_unusable(const SpeedPage& page);
void write_baseline(const SpeedPage& page, const Style& style);

// "matmul, 64 rows at once, warm, 1 thread".
std::string question_text(const Speed& speed);

}  // namespace gcts

#endif  // GCTS_REPORTS_SPEED_PAGE_H_
