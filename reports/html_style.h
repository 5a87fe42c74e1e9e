// The style sheet of the HTML page.

#ifndef GCTS_REPORTS_HTML_STYLE_H_
#define GCTS_REPORTS_HTML_STYLE_H_

#include <string_view>

namespace gcts {

extern const std::string_view kHtmlStyle;
extern const std::string_view kHtmlNarrowStyle;  // on top of it, where the window is narrow

}  // namespace gcts

#endif  // GCTS_REPORTS_HTML_STYLE_H_
