// Candidates in batches, so that one process of a target looks at hundreds.

#include "fuzz/campaign/minimise.h"

#include <algorithm>

#include "reference/reader.h"
#include "reference/writer.h"

namespace gcts {
namespace {

constexpr size_t kBatch = 400;

class Reducer {
 public:
  Reducer(Bytes input, const ShowsFinding& shows, const std::function<bool()>& more)
      : best_(std::move(input)), shows_(shows), more_(more) {}

  bool more() const { return more_(); }
  const Bytes& best() const { return best_; }

  // Takes the first candidate that shows the finding; false if none does.
  bool take_one_of(std::vector<Bytes> candidates) {
    for (size_t at = 0; at < candidates.size() && more_(); at += kBatch) {
      const size_t count = std::min(kBatch, candidates.size() - at);
      const auto found = shows_(std::span(candidates).subspan(at, count));
      if (!found) continue;
      best_ = std::move(candidates[at + *found]);
      return true;
    }
    return false;
  }

 private:
  Bytes best_;
  const ShowsFinding& shows_;
  const std::function<bool()>& more_;
};

template <typename T>
std::vector<T> without(const std::vector<T>& items, size_t from, size_t count) {
  std::vector<T> out(items.begin(), items.begin() + static_cast<ptrdiff_t>(from));
  out.insert(out.end(), items.begin() + static_cast<ptrdiff_t>(std::min(items.size(), from + count)), items.end());
  return out;
}

std::optional<File> model_of(const Bytes& bytes) {
  const Reading reading = read(bytes, {.stage = Stage::data, .lint = false});
  if (!reading.complete) return std::nullopt;
  for (const TensorView& tensor : reading.tensors)
    if (!tensor.sized || tensor.data.size() != tensor.size) return std::nullopt;
  return to_file(reading);
}

// The model with something less, larger parts first.
std::vector<Bytes> smaller_models(const File& file, size_t than) {
  std::vector<Bytes> out;
  const auto add = [&](const File& changed) {
    for (const bool pad : {false, true}) {
      Bytes bytes = write_bytes(changed, {.pad_last_tensor = pad});
      if (bytes.size() < than) out.push_back(std::move(bytes));
    }
  };
  for (size_t count = std::max(file.metadata.size(), file.tensors.size()); count > 0; count /= 2) {
    for (size_t from = 0; from < file.metadata.size(); from += count) {
      File changed = file;
      changed.metadata = without(file.metadata, from, count);
      add(changed);
    }
    for (size_t from = 0; from < file.tensors.size(); from += count) {
      File changed = file;
      changed.tensors = without(file.tensors, from, count);
      for (Tensor& tensor : changed.tensors) tensor.offset.reset();
      add(changed);
    }
  }
  for (size_t i = 0; i < file.metadata.size(); ++i) {
    File changed = file;
    changed.metadata[i].value = Value::u8(0);
    add(changed);
    if (file.metadata[i].key.size() > 3) {
      changed = file;
      changed.metadata[i].key.resize(3);
      add(changed);
    }
  }
  return out;
}

void reduce_model(Reducer& reducer) {
  while (reducer.more()) {
    const std::optional<File> file = model_of(reducer.best());
    if (!file || !reducer.take_one_of(smaller_models(*file, reducer.best().size()))) return;
  }
}

// Runs of bytes are left out, half of the input first, single bytes last.
bool reduce_bytes(Reducer& reducer) {
  bool any = false;
  for (size_t run = std::max<size_t>(1, reducer.best().size() / 2); run > 0 && reducer.more();) {
    std::vector<Bytes> candidates;
    for (size_t at = 0; at < reducer.best().size(); at += run) candidates.push_back(without(reducer.best(), at, run));
    if (reducer.take_one_of(std::move(candidates))) {
      any = true;
      run = std::min(run, std::max<size_t>(1, reducer.best().size() / 2));
    } else {
      run /= 2;
    }
  }
  return any;
}

// Bytes that do not matter are zero.
void make_zeros(Reducer& reducer) {
  for (size_t run = std::max<size_t>(1, reducer.best().size() / 2); run > 0 && reducer.more(); run /= 2) {
    for (size_t begin = 0; begin < reducer.best().size() && reducer.more();) {
      std::vector<Bytes> candidates;
      for (size_t at = begin; at < reducer.best().size(); at += run) {
        Bytes changed = reducer.best();
        const auto first = changed.begin() + static_cast<ptrdiff_t>(at);
        const auto last = changed.begin() + static_cast<ptrdiff_t>(std::min(changed.size(), at + run));
        if (std::all_of(first, last, [](std::byte b) { return b == std::byte{0}; })) continue;
        std::fill(first, last, std::byte{0});
        candidates.push_back(std::move(changed));
      }
      const Bytes before = reducer.best();
      if (!reducer.take_one_of(std::move(candidates))) break;
      begin = static_cast<size_t>(std::mismatch(before.begin(), before.end(), reducer.best().begin()).first - before.begin()) / run * run + run;
    }
  }
}

}  // namespace

Bytes minimise(Bytes input, bool is_file, const ShowsFinding& shows, const std::function<bool()>& more) {
  Reducer reducer(std::move(input), shows, more);
  if (is_file) reduce_model(reducer);
  while (reduce_bytes(reducer) && reducer.more() && is_file) reduce_model(reducer);
  make_zeros(reducer);
  return reducer.best();
}

}  // namespace gcts
