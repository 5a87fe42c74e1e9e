// Charts as SVG that stands inside an HTML page, drawn by gnuplot where it is installed.
//
// gnuplot's script is fixed text and numbers: every name goes into a data file, and is
// made harmless for that.  Colours come out as the style sheet's variables, so that a
// chart is light and dark as the page is; ids begin with the chart's own name, so that
// several charts stand in one page.

#ifndef GCTS_REPORTS_CHART_H_
#define GCTS_REPORTS_CHART_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gcts {

// Values of one kind over the same categories; not above 0: there is none.
struct Bars {
  std::vector<std::string> categories;
  std::vector<std::pair<std::string, std::vector<double>>> series;  // at most kMostSeries are drawn
  std::string_view unit;  // fixed text, no name
};

struct Roofline {
  struct Slope {  // operations a second = bytes a second times operations a byte
    std::string name;
    double bandwidth = 0;
  };
  struct Flat {
    std::string name;
    double operations = 0;
  };
  struct Points {
    std::string name;
    std::vector<std::pair<double, double>> at;  // operations a byte, Gop/s
  };
  std::vector<Slope> slopes;
  std::vector<Flat> flats;
  std::vector<Points> points;  // at most kMostSeries are drawn
};

inline constexpr size_t kMostSeries = 8;

// The SVG element, or "" where there is nothing to draw or no gnuplot (GCTS_GNUPLOT names
// another program; empty: none).  `id`: letters, unique in the page.
std::string bars_svg(const Bars& bars, std::string_view id);
std::string roofline_svg(const Roofline& roofline, std::string_view id);

// For tests.  A name as a data file takes it; gnuplot's SVG as the page takes it.
std::string chart_label(std::string_view name);
std::string embedded_svg(std::string_view svg, std::string_view id);

}  // namespace gcts

#endif  // GCTS_REPORTS_CHART_H_
