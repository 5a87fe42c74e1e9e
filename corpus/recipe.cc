// The builder: drafts of cases, and edits of written bytes.

#include "corpus/recipe.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gcts {
namespace {

constexpr std::string_view kFileName = "model.gguf";

// A recipe that refers to what is not there is a programming error, told with its name.
[[noreturn]] void wrong_recipe(std::string_view what, std::string_view name) {
  std::fprintf(stderr, "corpus: %.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(name.size()), name.data());
  std::abort();
}

}  // namespace

Written Model::write() const {
  Written written = gcts::write(file, options);
  if (finish) finish(written);
  return written;
}

Model Fault::applied(Model model) const {
  if (model_) {
    model_(model);
    return model;
  }
  model.finish = [before = std::move(model.finish), fault = bytes_](Written& w) {
    if (before) before(w);
    fault(w);
  };
  return model;
}

Draft& Draft::breaks(rule::Index rule) {
  c.breaks = {rule};
  return *this;
}
Draft& Draft::also(rule::Index rule) {
  c.also.push_back(rule);
  return *this;
}
Draft& Draft::tag(std::string_view tag) {
  c.tags.emplace_back(tag);
  return *this;
}
Draft& Draft::stage(Stage stage) {
  c.stage = stage;
  return *this;
}
Draft& Draft::large() {
  c.size = CaseSize::large;
  return *this;
}
Draft& Draft::child_of(std::string_view name) {
  parent = name.find('.') == std::string_view::npos ? stem + "." + std::string(name) : std::string(name);
  return *this;
}
Draft& Draft::either(std::string_view reason) {
  c.reason = reason;
  return *this;
}

Draft& Recipe::add(std::string_view suffix, std::string_view comment, CaseKind kind) {
  Draft& draft = drafts_.emplace_back();
  draft.area = area_;
  draft.stem = stem_;
  draft.suffix = suffix;
  draft.c.kind = kind;
  draft.c.rule = rule_;
  draft.c.comment = comment;
  return draft;
}

const Draft& Recipe::find(std::string_view name) const {
  const std::string full =
      name.find('.') == std::string_view::npos ? stem_ + "." + std::string(name) : std::string(name);
  const auto found =
      std::find_if(drafts_.begin(), drafts_.end(), [&](const Draft& d) { return d.name() == full; });
  if (found == drafts_.end()) wrong_recipe("no case is drafted before this under the name", full);
  return *found;
}

const Model& Recipe::model(std::string_view name) const {
  const Draft& draft = find(name);
  if (!draft.model) wrong_recipe("the case has no model", draft.name());
  return *draft.model;
}

Draft& Recipe::valid(std::string_view suffix, Model model, std::string_view comment) {
  Draft& draft = add(suffix, comment, CaseKind::read);
  draft.model = std::make_shared<const Model>(std::move(model));
  draft.c.files = [shared = draft.model] {
    return std::vector<CaseFile>{{std::string(kFileName), shared->write().bytes}};
  };
  return draft;
}

Draft& Recipe::broken(std::string_view suffix, std::string_view parent, std::string_view comment,
                      Fault fault) {
  Model broken = fault.applied(model(parent));
  Draft& draft = valid(suffix, std::move(broken), comment);
  draft.breaks(rule_);
  return draft.child_of(parent);
}

Draft& Recipe::bytes(std::string_view suffix, std::string_view comment, std::function<Bytes()> make) {
  Draft& draft = add(suffix, comment, CaseKind::read);
  draft.c.files = [make = std::move(make)] {
    return std::vector<CaseFile>{{std::string(kFileName), make()}};
  };
  return draft;
}

Draft& Recipe::files(std::string_view suffix, std::string_view comment,
                     std::function<std::vector<CaseFile>()> make) {
  Draft& draft = add(suffix, comment, CaseKind::read);
  draft.c.files = std::move(make);
  return draft;
}

Draft& Recipe::write(std::string_view suffix, std::string_view comment, WriteCase write) {
  Draft& draft = add(suffix, comment, CaseKind::write);
  draft.c.write = [shared = std::make_shared<const WriteCase>(std::move(write))] { return *shared; };
  return draft;
}

Draft& Recipe::family(std::string_view suffix, std::string_view comment, uint64_t scale,
                      std::function<Bytes(uint64_t)> make) {
  Draft& draft = add(suffix, comment, CaseKind::resource);
  draft.c.scale = scale;
  draft.c.scaled = std::move(make);
  return draft.large();
}

const Field& field(const Written& w, FieldKind kind, uint32_t item, uint32_t part) {
  const Field* found = w.find(kind, item, part);
  if (!found) wrong_recipe("the file has no such field", field_kind_name(kind));
  return *found;
}

void patch(Written& w, FieldKind kind, uint32_t item, uint64_t value) { patch_part(w, kind, item, 0, value); }

void patch_part(Written& w, FieldKind kind, uint32_t item, uint32_t part, uint64_t value) {
  w.patch(field(w, kind, item, part), value);
}

void bump(Written& w, FieldKind kind, uint32_t item, int64_t by) {
  const Field& target = field(w, kind, item);
  w.patch(target, w.read(target) + static_cast<uint64_t>(by));
}

void overwrite(Written& w, uint64_t offset, std::string_view bytes) {
  if (offset + bytes.size() > w.bytes.size()) wrong_recipe("overwrite past the end of the file", bytes);
  std::memcpy(w.bytes.data() + offset, bytes.data(), bytes.size());
}

void overwrite(Written& w, FieldKind kind, uint32_t item, std::string_view bytes) {
  overwrite(w, field(w, kind, item).offset, bytes);
}

void cut(Written& w, uint64_t size) {
  if (size >= w.bytes.size()) wrong_recipe("nothing is cut off", "");
  w.bytes.resize(size);
}

void append(Written& w, std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  w.bytes.insert(w.bytes.end(), data, data + bytes.size());
}

}  // namespace gcts
