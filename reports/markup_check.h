// What is wrong with markup that a report format wrote, for tests and fuzzing.
//
// Our writers, and the chart program, use elements, attributes and entities, and nothing else
// of XML, so that little suffices to see whether text got out of its place.

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

struct Attribute {
  std::string_view name, value;
};

// Those of a tag, read one after the other, so that what a value holds is no name of the
// next.  A tag that is anything else than a name and attributes in quotes is `broken`.
inline std::vector<Attribute> attributes(std::string_view tag, bool& broken) {
  constexpr std::string_view kSpace = " \t\n";
  std::vector<Attribute> out;
  size_t at = std::min(tag.find_first_of(kSpace), tag.size());
  while ((at = tag.find_first_not_of(kSpace, at)) != tag.npos && tag.substr(at) != "/") {
    const size_t end = std::min(tag.find_first_of(" \t\n=\"'/", at), tag.size());
    const size_t equals = tag.find_first_not_of(kSpace, end);
    const size_t quote = equals == tag.npos ? equals : tag.find_first_not_of(kSpace, equals + 1);
    broken = broken || end == at || quote == tag.npos || tag[equals] != '=' ||
             (tag[quote] != '"' && tag[quote] != '\'');
    const size_t close = broken ? tag.npos : tag.find(tag[quote], quote + 1);
    if (close == tag.npos) {
      broken = true;
      break;
    }
    out.push_back({tag.substr(at, end - at), tag.substr(quote + 1, close - quote - 1)});
    at = close + 1;
    broken = at < tag.size() && (kSpace.find(tag[at]) == kSpace.npos && tag.substr(at) != "/");
    if (broken) break;
  }
  return out;
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
    bool broken = tag.find('<') != tag.npos;
    const std::vector<Attribute> all =
        tag.starts_with("/") ? std::vector<Attribute>() : attributes(tag, broken);
    if (broken) return "a broken tag: " + name;
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return "an end without its begin: " + name;
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(name);
    }
    for (const auto& [key, value] : all) {
      if (key == "id" && !ids.emplace(value).second) return "an id twice: " + std::string(value);
      if (key == "href") links.emplace_back(value);
      if (key == "src") return "something from outside: " + name;
    }
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
