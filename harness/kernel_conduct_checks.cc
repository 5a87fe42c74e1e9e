// Checks of what else a kernel does: memory, environment, repetition, threads, strides.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/kernel_operands.h"

namespace gcts {
namespace {

using Shared = std::shared_ptr<std::vector<uint8_t>>;

// A case of one shape, one draw, one task that `change` makes from the packed one.
void add_changed(KernelCaseList& cases, const KernelRow& row, std::string_view check, std::string_view detail,
                 KernelShape shape, std::function<void(KernelTask&)> change) {
  cases.add(check, detail, [&row, shape, change](const Generator& g, std::vector<KernelJob>& jobs) {
    std::string why;
    KernelInputs input = draw_usual(row, shape, g, 0, why);
    if (!input) return why;
    KernelJob job = usual_job(row, std::move(input));
    change(job.task);
    jobs.push_back(std::move(job));
    return std::string();
  });
}

// A job whose answer is judged by `extra` after its output was found right.
KernelJob with_extra(KernelJob job, std::function<Problem(const Answer&)> extra) {
  job.judge = [first = job.judge, extra](const Answer& answer, KernelScore& score) {
    const Problem problem = first(answer, score);
    return problem.outcome == Outcome::pass ? extra(answer) : problem;
  };
  return job;
}

Problem judge_complete(const KernelRow& row, const Answer& answer) {
  const worker::KernelAnswer& k = answer.kernel;
  if (k.damage_offset != UINT64_MAX) {
    const auto offset = static_cast<int64_t>(k.damage_offset);
    return {Outcome::fail, fmt::format("writes outside its rows, at byte {} of the output", offset)};
  }
  if (k.unequal == worker::Unequal::unwritten) {
    const uint64_t unit = row.op == GCTS_OP_QUANTIZE ? 1 : 4;
    return {Outcome::fail, fmt::format("leaves {} {} of the output unwritten", unit == 4 ? "element" : "byte", k.unequal_offset / unit)};
  }
  return {};
}

}  // namespace

void add_guard(const KernelRow& row, KernelCaseList& cases) {
  std::vector<KernelShape> some = shapes(row, cases.tier());
  std::erase_if(some, [](const KernelShape& s) { return s.n > 1000; });
  if (cases.smoke()) some = {some.front(), small_shape(row)};
  for (const KernelShape& shape : some)
    for (const worker::Placement placement : {worker::Placement::end, worker::Placement::start}) {
      const std::string detail = fmt::format("{},{}", placement == worker::Placement::end ? "end" : "start", shape_text(row, shape));
      add_changed(cases, row, "guard", detail, shape, [placement](KernelTask& task) { task.placement = placement; });
    }
}

void add_complete(const KernelRow& row, KernelCaseList& cases) {
  std::vector<KernelShape> some = shapes(row, cases.tier());
  std::erase_if(some, [](const KernelShape& s) { return s.n > 1000; });
  for (const KernelShape& shape : some)
    cases.add("complete", shape_text(row, shape), [&row, shape](const Generator& g, std::vector<KernelJob>& jobs) {
      std::string why;
      KernelInputs input = draw_usual(row, shape, g, 0, why);
      if (!input) return why;
      KernelJob job = usual_job(row, std::move(input));
      job.task.calls = 2;
      // The output is judged by other checks: here only whether it is all there.
      job.judge = [&row](const Answer& answer, KernelScore& score) {
        ++score.judged;
        return judge_complete(row, answer);
      };
      jobs.push_back(std::move(job));
      return std::string();
    });
}

void add_repeat(const KernelRow& row, KernelCaseList& cases) {
  cases.add("repeat", "", [&row](const Generator& g, std::vector<KernelJob>& jobs) -> std::string {
    std::string why;
    const KernelShape shape = small_shape(row);
    // Data that round: exact sums would hide a changed order.
    const auto draw = [&](uint64_t number) {
      return row.op == GCTS_OP_QUANTIZE ? draw_values(row, shape.k, false, g, number)
                                        : draw_input(row, shape, pattern::normal, g, number, why);
    };
    const KernelInputs a = draw(0), b = draw(1);
    if (!a || !b) return why;
    auto first = std::make_shared<std::vector<uint8_t>>();
    for (const KernelInputs& input : {a, b, a}) {
      KernelJob job = usual_job(row, input);
      job.task.calls = 2;
      jobs.push_back(with_extra(std::move(job), [first, same = input == a](const Answer& answer) -> Problem {
        if (answer.kernel.unequal == worker::Unequal::changing)
          return {Outcome::fail, fmt::format("the same operands give another result at byte {} of the output", answer.kernel.unequal_offset)};
        if (!same) return {};
        if (first->empty()) first->assign(answer.output.begin(), answer.output.end());
        else if (!std::equal(first->begin(), first->end(), answer.output.begin(), answer.output.end()))
          return {Outcome::fail, "the same operands give another result after other operands came between"};
        return {};
      }));
    }
    return "";
  });
}

void add_alignment(const KernelRow& row, KernelCaseList& cases) {
  const uint32_t alignment = std::max<uint32_t>(1, row.description.row.alignment);
  cases.add("alignment", "", [&row, alignment, smoke = cases.smoke()](const Generator& g, std::vector<KernelJob>& jobs) {
    std::string why;
    KernelShape shape = small_shape(row);
    if (shape.k > row.unit() && row.unit() >= 32) shape.k = row.unit();
    const KernelInputs input = draw_usual(row, shape, g, 0, why);
    if (!input) return why;
    for (uint32_t skew = 0; skew < 64; skew += alignment) {
      // Smoke: the powers of two, their neighbours below, and the odd addresses of small blocks.
      if (smoke && skew % 16 != 0 && skew != 1 && skew != 3 && skew != 4 && skew != 8 && skew != 63) continue;
      KernelJob job = usual_job(row, input);
      job.task.placement = worker::Placement::skewed;
      job.task.skew = skew;
      job.judge = [judge = job.judge, skew](const Answer& answer, KernelScore& score) {
        Problem problem = judge(answer, score);
        if (problem.outcome != Outcome::pass) problem.message += fmt::format(", at an address of {} modulo 64", skew);
        return problem;
      };
      jobs.push_back(std::move(job));
    }
    return std::string();
  });
}

void add_environment(const KernelRow& row, KernelCaseList& cases) {
  cases.add("environment", "", [&row](const Generator& g, std::vector<KernelJob>& jobs) {
    std::string why;
    KernelInputs input = draw_usual(row, small_shape(row), g, 0, why);
    if (!input) return why;
    KernelJob job = usual_job(row, std::move(input));
    job.judge = [](const Answer& answer, KernelScore& score) -> Problem {
      static constexpr std::pair<uint32_t, std::string_view> kNames[] = {
          {worker::kRoundingChanged, "the rounding mode"},
          {worker::kFlushingChanged, "the flushing of subnormals"},
          {worker::kMasksChanged, "the exception masks"},
          {worker::kX87Changed, "the x87 unit's control word or stack"},
          {worker::kRegistersChanged, "a register that a function has to keep"}};
      ++score.judged;
      for (const auto& [bit, name] : kNames)
        if (answer.kernel.environment & bit) return {Outcome::fail, fmt::format("returns with {} changed", name)};
      return {};
    };
    jobs.push_back(std::move(job));
    return std::string();
  });
}

namespace {

void add_leak_of(const KernelRow& row, KernelCaseList& cases, std::string_view detail, uint32_t calls, uint32_t threads) {
  cases.add("leak", detail, [&row, calls, threads](const Generator& g, std::vector<KernelJob>& jobs) {
    std::string why;
    KernelShape shape = small_shape(row);
    shape.k = row.unit() >= 32 ? row.unit() : 32 * row.unit();
    KernelInputs input = draw_usual(row, shape, g, 0, why);
    if (!input) return why;
    KernelJob job = usual_job(row, std::move(input));
    job.task.calls = calls;
    job.task.threads = threads;
    jobs.push_back(with_extra(std::move(job), [calls](const Answer& answer) -> Problem {
      const auto keeps = [&](int64_t count, std::string_view what) {
        return Problem{Outcome::memory, fmt::format("keeps {} {} over {} calls", count, what, calls)};
      };
      if (answer.leaked_bytes > 0) return keeps(static_cast<int64_t>(answer.leaked_bytes), "bytes");
      if (answer.leaked_fds > 0) return keeps(answer.leaked_fds, "descriptors");
      if (answer.leaked_threads > 0) return keeps(answer.leaked_threads, "threads");
      if (answer.kernel.unequal != worker::Unequal::no)
        return {Outcome::fail, fmt::format("the last of {} calls gives another result at byte {} of the output", calls,
                                           answer.kernel.unequal_offset)};
      return {};
    }));
    return std::string();
  });
}

}  // namespace

void add_leak(const KernelRow& row, KernelCaseList& cases) {
  add_leak_of(row, cases, "", 1000, 1);
  // Starting threads is slow, and one that is left shows at once.
  if (row.product()) add_leak_of(row, cases, "threads=3", 64, 3);
}

namespace {

// Copies packed rows to rows that lie `stride` bytes apart; the room between them is NaN
// as a float and nonsense as a block.
std::vector<std::byte> spread(std::span<const std::byte> packed, uint64_t row, uint64_t stride) {
  std::vector<std::byte> out;
  for (size_t at = 0; at < packed.size(); at += row) {
    out.insert(out.end(), packed.begin() + static_cast<ptrdiff_t>(at), packed.begin() + static_cast<ptrdiff_t>(at + row));
    if (at + row < packed.size()) out.resize(out.size() + (stride - row), std::byte{0xff});
  }
  return out;
}

struct SpreadInput {
  KernelInputs input;
  std::vector<std::byte> weights, activations;
};

void add_stride_of(const KernelRow& row, KernelCaseList& cases, std::string_view detail, const KernelShape& shape) {
  cases.add("stride", detail, [&row, shape](const Generator& g, std::vector<KernelJob>& jobs) {
    std::string why;
    auto spread_input = std::make_shared<SpreadInput>();
    spread_input->input = draw_usual(row, shape, g, 0, why);
    if (!spread_input->input) return why;
    KernelJob job = usual_job(row, spread_input->input);
    KernelTask& task = job.task;
    const uint64_t step = std::max<uint64_t>(4, row.description.row.alignment);
    const uint64_t weight_row = task.weight_stride, activation_row = task.activation_stride;
    // Further apart by a block (weights) and by a few floats.
    task.weight_stride += align_up(row.type->block_bytes, std::max<uint64_t>(1, row.description.row.alignment));
    task.activation_stride += 3 * align_up(row.activation_type->block_bytes, step);
    task.output_stride += 5 * step;
    spread_input->weights = spread(task.weights.bytes, weight_row, task.weight_stride);
    spread_input->activations = spread(task.activations.bytes, activation_row, task.activation_stride);
    if (row.op == GCTS_OP_MATMUL_ID) {
      const uint64_t rows = spread_input->input->shape.n;
      const uint64_t matrix = (rows - 1) * task.weight_stride + weight_row;
      // Matrices stand apart as rows do, and one row more.
      task.expert_stride = rows * task.weight_stride + task.weight_stride;
      std::vector<std::byte> experts;
      for (uint32_t e = 0; e < task.experts; ++e) {
        const auto* from = spread_input->weights.data() + e * rows * task.weight_stride;
        experts.resize(e * task.expert_stride, std::byte{0xff});
        experts.insert(experts.end(), from, from + matrix);
      }
      spread_input->weights = std::move(experts);
    }
    task.weights.bytes = spread_input->weights;
    task.activations.bytes = spread_input->activations;
    task.calls = 2;
    job = with_extra(std::move(job), [&row](const Answer& answer) { return judge_complete(row, answer); });
    job.keep = spread_input;
    jobs.push_back(std::move(job));
    return std::string();
  });
}

// Rows (or, of a mixture of experts, matrices) so far apart that the last one's offset takes
// 33 bits: address space that shows one tile over and over, each row where it would be.
// 2^32 is no multiple of the tile, so that an offset cut to 32 bits finds something else.
void add_far_apart(const KernelRow& row, KernelCaseList& cases) {
  constexpr uint64_t kTile = 3u << 20;
  cases.add("stride", "offset=33bits", [&row](const Generator& g, std::vector<KernelJob>& jobs) -> std::string {
    std::string why;
    auto far = std::make_shared<SpreadInput>();
    far->input = draw_usual(row, small_shape(row), g, 0, why);
    if (!far->input) return why;
    const bool experts = row.op == GCTS_OP_MATMUL_ID;
    const KernelShape& shape = far->input->shape;
    KernelJob job = usual_job(row, far->input);
    KernelTask& task = job.task;
    const uint64_t parts = experts ? shape.experts : shape.n;
    const uint64_t part = task.weights.bytes.size() / parts;
    const uint64_t slot = align_up(part, std::max<uint64_t>(64, row.description.row.alignment));
    if (parts < 2 || parts * slot > kTile) return "the rows do not fit in a tile";
    far->weights = spread(task.weights.bytes, part, slot);
    far->weights.resize(kTile, std::byte{0xff});
    const uint64_t between = ((uint64_t{1} << 32) / (parts - 1) / kTile + 1) * kTile + slot;
    (experts ? task.expert_stride : task.weight_stride) = between;
    task.weights.bytes = far->weights;
    task.weights.tiled_size = (parts - 1) * between + part;
    if (row.description.largest_operand < task.weights.tiled_size)
      return fmt::format("the device allocates at most {} MiB at once", row.description.largest_operand >> 20);
    job.keep = far;
    jobs.push_back(std::move(job));
    return "";
  });
}

}  // namespace

void add_stride(const KernelRow& row, KernelCaseList& cases) {
  KernelShape many = small_shape(row);
  add_stride_of(row, cases, "", many);
  many.m = 9;  // the path that kernels have for larger batches
  add_stride_of(row, cases, shape_text(row, many), many);
  if (!cases.smoke()) add_far_apart(row, cases);
}

void add_threads(const KernelRow& row, KernelCaseList& cases) {
  cases.add("threads", "", [&row](const Generator& g, std::vector<KernelJob>& jobs) {
    std::string why;
    KernelShape shape = small_shape(row);
    shape.n *= 3;
    const KernelInputs input = draw_input(row, shape, pattern::normal, g, 0, why);
    if (!input) return why;
    auto first = std::make_shared<std::vector<uint8_t>>();
    // Beyond 8: what a large machine uses, and more threads than there are columns.
    for (const uint32_t threads : {1, 2, 3, 4, 5, 6, 7, 8, 13, 26, 64}) {
      KernelJob job = usual_job(row, input);
      job.task.threads = threads;
      jobs.push_back(with_extra(std::move(job), [first, threads](const Answer& answer) -> Problem {
        if (threads == 1) first->assign(answer.output.begin(), answer.output.end());
        else if (!std::equal(first->begin(), first->end(), answer.output.begin(), answer.output.end()))
          return {Outcome::fail, fmt::format("{} threads give other bits than one", threads)};
        return {};
      }));
    }
    return std::string();
  });
}

void add_concurrent(const KernelRow& row, KernelCaseList& cases) {
  // A device runs one call after the other.
  const uint32_t flags = row.description.row.flags;
  if (!(flags & GCTS_KERNEL_THREAD_SAFE) || (flags & GCTS_KERNEL_ON_DEVICE)) return;
  cases.add("concurrent", "", [&row](const Generator& g, std::vector<KernelJob>& jobs) -> std::string {
    // Operands of their own for each, so that scratch memory that they share shows.
    constexpr uint64_t kParts = 4;
    std::string why;
    KernelShape shape = small_shape(row);
    (row.dot() ? shape.m : shape.k) *= row.product() ? 1 : kParts;
    if (row.product()) shape.m = kParts;
    KernelInputs input = draw_usual(row, shape, g, 0, why);
    if (!input) return why;
    KernelJob job = usual_job(row, std::move(input));
    KernelTask& task = job.task;
    task.parts = task.output_rows = kParts;
    if (!row.dot()) {
      task.k /= kParts;
      task.output_row_bytes = task.output_stride = task.output_row_bytes / kParts;
      task.weight_stride = row.op == GCTS_OP_DEQUANTIZE ? row_bytes(*row.type, task.k) : 0;
      task.activation_stride = row.op == GCTS_OP_QUANTIZE ? 4 * task.k : 0;
    }
    const uint64_t alignment = std::max<uint64_t>(1, row.description.row.alignment);
    for (const uint64_t stride : {task.activation_stride, task.output_stride, row.dot() ? 0 : task.weight_stride})
      if (stride % alignment != 0) return "rows side by side do not keep to the row's alignment";
    jobs.push_back(with_extra(std::move(job), [](const Answer& answer) -> Problem {
      if (answer.kernel.unequal != worker::Unequal::concurrent) return {};
      return {Outcome::fail, fmt::format("other threads at work change the result at byte {} of the output",
                                         answer.kernel.unequal_offset)};
    }));
    return "";
  });
}

void add_batch(const KernelRow& row, KernelCaseList& cases) {
  cases.add("batch", "", [&row](const Generator& g, std::vector<KernelJob>& jobs) -> std::string {
    if (row.description.row.flags & GCTS_KERNEL_NOT_BATCH_INVARIANT) return "declared to depend on the batch";
    std::string why;
    KernelShape shape = small_shape(row);
    shape.m = 33;
    const KernelInputs whole = draw_input(row, shape, pattern::normal, g, 0, why);
    if (!whole) return why;
    auto outputs = std::make_shared<std::vector<uint8_t>>();
    KernelJob all = usual_job(row, whole);
    all.judge = [outputs](const Answer& answer, KernelScore&) {
      outputs->assign(answer.output.begin(), answer.output.end());
      return Problem{};
    };
    jobs.push_back(std::move(all));
    const uint64_t activation_row = row_bytes(*row.activation_type, shape.k), output_row = 4 * shape.n;
    for (uint64_t m : {1, 2, 3, 4, 5, 8, 16, 17, 32}) {
      KernelJob job = usual_job(row, whole);
      job.task.m = job.task.output_rows = m;
      job.task.activations.bytes = job.task.activations.bytes.first(m * activation_row);
      if (row.op == GCTS_OP_MATMUL_ID) job.task.extra.bytes = job.task.extra.bytes.first(4 * m);
      job.judge = [outputs, m, output_row](const Answer& answer, KernelScore& score) -> Problem {
        ++score.judged;
        if (answer.output.size() != m * output_row || outputs->size() < answer.output.size())
          return {Outcome::protocol, "the output has the wrong size"};
        if (std::memcmp(answer.output.data(), outputs->data(), answer.output.size()) == 0) return {};
        return {Outcome::fail, fmt::format("{} rows give other bits than the first {} of 33", m, m)};
      };
      jobs.push_back(std::move(job));
    }
    return "";
  });
}

}  // namespace gcts
