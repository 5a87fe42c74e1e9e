// The builder that recipes use: a case is one call of a few lines.
//
//   RECIPE(tensor_offset_aligned) {
//     r.valid("two", two_tensors(), "both offsets are multiples of 32");
//     r.broken("plus_one", "two", "the second tensor lies one byte off",
//              [](Written& w) { bump(w, FieldKind::tensor_offset, 1, 1); });
//   }
//
// recipes/<area>.cc holds a recipe for every rule of its area in rules.inc that a
// file, a writer or a growing family of files can show; a rule without one is a link
// error.  A suffix names the case within its rule and is what people read in a
// report, so it says what the file holds, not what ought to happen.

#ifndef GCTS_CORPUS_RECIPE_H_
#define GCTS_CORPUS_RECIPE_H_

#include <concepts>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "corpus/case.h"

namespace gcts {

// A file that can still be edited: the model, how it is laid out, and touches on the
// bytes that a model cannot express.
struct Model {
  File file;
  WriteOptions options;
  std::function<void(Written&)> finish;

  Model() = default;
  Model(File f) : file(std::move(f)) {}  // NOLINT: a File is a model
  Written write() const;
};

// One minimal fault: an edit of the bytes (through the field map), of the File, or of
// the Model.
class Fault {
 public:
  template <typename Edit>
  Fault(Edit edit) {  // NOLINT: recipes pass lambdas
    if constexpr (std::is_invocable_v<Edit, Written&>)
      bytes_ = std::move(edit);
    else if constexpr (std::is_invocable_v<Edit, File&>)
      model_ = [edit](Model& m) { edit(m.file); };
    else
      model_ = std::move(edit);
  }
  Model applied(Model model) const;

 private:
  std::function<void(Written&)> bytes_;
  std::function<void(Model&)> model_;
};

// A case under construction.
struct Draft {
  Case c;
  std::string stem, suffix, parent;  // parent: "stem.suffix", "" for none
  std::string area;
  std::shared_ptr<const Model> model;  // null for raw bytes, shard sets, writers and families

  std::string name() const { return stem + "." + suffix; }

  Draft& breaks(rule::Index rule);  // instead of the recipe's rule
  Draft& also(rule::Index rule);
  Draft& tag(std::string_view tag);
  Draft& stage(Stage stage);  // the stage at which the verdict is due
  Draft& large();             // made on demand, never stored
  Draft& child_of(std::string_view parent);
  Draft& either(std::string_view reason);  // "divergence", "undefined" or "limit"
};

class Recipe {
 public:
  Recipe(std::deque<Draft>& drafts, std::string area, std::string stem, rule::Index rule)
      : drafts_(drafts), area_(std::move(area)), stem_(std::move(stem)), rule_(rule) {}

  // A sound file.
  Draft& valid(std::string_view suffix, Model model, std::string_view comment);
  // A valid file, "suffix" of this recipe or "stem.suffix" of any, with one fault that
  // breaks the recipe's rule.
  Draft& broken(std::string_view suffix, std::string_view parent, std::string_view comment, Fault fault);
  // A file given as bytes, or made on demand; sound unless breaks() says otherwise.
  Draft& bytes(std::string_view suffix, std::string_view comment, std::function<Bytes()> make);
  // A shard set, or a file whose name matters; sound unless breaks() says otherwise.
  Draft& files(std::string_view suffix, std::string_view comment,
               std::function<std::vector<CaseFile>()> make);
  // A model that a writer is asked for.
  Draft& write(std::string_view suffix, std::string_view comment, WriteCase write);
  // A family of files of growing size.
  Draft& family(std::string_view suffix, std::string_view comment, uint64_t scale,
                std::function<Bytes(uint64_t)> make);

  // The model of a valid case drafted earlier.
  const Model& model(std::string_view name) const;
  // The rule that the cases that follow exercise; sweeps touch many.
  Recipe& of(rule::Index rule) {
    rule_ = rule;
    return *this;
  }
  const std::deque<Draft>& drafts() const { return drafts_; }

 private:
  Draft& add(std::string_view suffix, std::string_view comment, CaseKind kind);
  const Draft& find(std::string_view name) const;

  std::deque<Draft>& drafts_;
  std::string area_, stem_;
  rule::Index rule_;
};

#define RECIPE(name) void recipe_##name([[maybe_unused]] Recipe& r)
#define SWEEP(name) void sweep_##name([[maybe_unused]] Recipe& r)

// ---- edits of written bytes ----

const Field& field(const Written& w, FieldKind kind, uint32_t item = 0, uint32_t part = 0);
// Sets a field's number, or adds to it.
void patch(Written& w, FieldKind kind, uint32_t item, uint64_t value);
void patch_part(Written& w, FieldKind kind, uint32_t item, uint32_t part, uint64_t value);
void bump(Written& w, FieldKind kind, uint32_t item, int64_t by);
// Overwrites bytes at an offset of the file.
void overwrite(Written& w, uint64_t offset, std::string_view bytes);
// Overwrites the first bytes of a field.
void overwrite(Written& w, FieldKind kind, uint32_t item, std::string_view bytes);
// Ends the file at `size`.
void cut(Written& w, uint64_t size);
void append(Written& w, std::string_view bytes);

}  // namespace gcts

#endif  // GCTS_CORPUS_RECIPE_H_
