// What is wrong with markup that a report format wrote, for tests and fuzzing.
//
// Our writers use elements, attributes in double quotes and entities, and nothing else of
// XML, so that little suffices to see whether text got out of its place.

#ifndef GCTS_REPORTS_MARKUP_CHECK_H_
#define GCTS_REPORTS_MARKUP_CHECK_H_

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gcts {

inline bool is_entity(std::string_view text) {
  for (const std::string_view name : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#"}) {
    if (text.starts_with(name)) return true;
  }
  return false;
}

// The value of an attribute of a tag; "" if it has none.
inline std::string_view attribute(std::string_view tag, std::string_view name) {
  const std::string start = " " + std::string(name) + "=\"";
  const size_t at = tag.find(start);
  if (at == tag.npos) return {};
  const size_t from = at + start.size();
  return tag.substr(from, tag.find('"', from) - from);
}

// "" if tags are balanced, every "&" begins an entity, ids are unique and all links lead to
// one of them; else what is wrong.
inline std::string markup_fault(std::string_view xml) {
  std::vector<std::string> open;
  std::set<std::string, std::less<>> ids;
  std::vector<std::string> links;
  for (size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&' && !is_entity(xml.substr(at))) return "an & that begins no entity";
    if (xml[at] != '<') continue;
    const size_t end = xml.find('>', at);
    if (end == xml.npos) return "a tag without an end";
    const std::string_view tag = xml.substr(at + 1, end - at - 1);
    at = end;
    if (tag.starts_with("?") || tag == "!DOCTYPE html") continue;
    const std::string name(tag.substr(0, tag.find_first_of(" \n/", 1)));
    if (tag.find('<') != tag.npos || std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "a broken tag: " + name;
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return "an end without its begin: " + name;
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(name);
    }
    if (const std::string_view id = attribute(tag, "id"); !id.empty() && !ids.emplace(id).second) return "an id twice: " + std::string(id);
    if (const std::string_view link = attribute(tag, "href"); !link.empty()) links.emplace_back(link);
    if (!attribute(tag, "src").empty()) return "something from outside: " + name;
    for (const std::string_view active : {"script", "iframe", "object", "embed", "link", "base", "form"}) {
      if (name == active) return "an element of its own will: " + name;
    }
  }
  if (!open.empty()) return "no end of " + open.back();
  for (const std::string& link : links) {
    if (!link.starts_with("#") || !ids.contains(link.substr(1))) return "a link that leads nowhere: " + link;
  }
  return "";
}

}  // namespace gcts

#endif  // GCTS_REPORTS_MARKUP_CHECK_H_
