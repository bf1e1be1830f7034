#include "comparison/words/repeated_work_words.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "analysis/findings/thresholds.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/words/quantity_words.h"
#include "table/units.h"

namespace cgpu {

namespace {

struct RepeatedWork {
  int64_t count = 0;     // device ops
  int64_t time = 0;      // ns of their durations
  int64_t of_model = 0;  // of these that of products, attention and convolutions
};

/// What a model consists of. The rest may as well be gradients: casts, sums and products by element are like those of
/// activations.
bool is_of_model(KernelClass kernel_class) {
  return kernel_class == KernelClass::gemm || kernel_class == KernelClass::moe_gemm ||
         kernel_class == KernelClass::attention || kernel_class == KernelClass::convolution;
}

/// Whether a node lies in the evaluation of a backward function.
bool is_in_backward(const Comparison& comparison, const MergedWork& work, uint32_t node) {
  constexpr std::string_view kBackward = "autograd::engine::evaluate_function";
  for (uint32_t above = node; above != kNone; above = work.node(above).parent) {
    if (comparison.text(work.node(above).label).starts_with(kBackward)) return true;
  }
  return false;
}

RepeatedWork repeated_work(const Comparison& comparison, Side side) {
  RepeatedWork repeated;
  for (const Comparison::Group& group : comparison.groups()) {
    const MergedWork& work = *group.work[side];
    std::set<std::pair<Label, Label>> forward;  // names and shapes of ops
    for (uint32_t index = 0; index < work.nodes().size(); ++index) {
      const WorkNode& node = work.node(index);
      if (node.kind == WorkKind::op && !is_in_backward(comparison, work, index)) {
        forward.emplace(node.label, node.shapes);
      }
    }
    for (uint32_t index = 0; index < work.nodes().size(); ++index) {
      const WorkNode& node = work.node(index);
      if (!is_device_work(node.kind) || group.alignment->node(side, index).partner != kNone) continue;
      const uint32_t op = group.alignment->outermost_unmatched(side, index);
      if (op == kNone || !is_in_backward(comparison, work, op)) continue;
      if (!forward.contains({work.node(op).label, work.node(op).shapes})) continue;
      repeated.count += node.count;
      repeated.time += node.duration;
      if (is_of_model(node.kernel_class)) repeated.of_model += node.duration;
    }
  }
  return repeated;
}

}  // namespace

std::string repeated_work_words(const Comparison& comparison) {
  constexpr double kLeastOfModel = 0.2;
  std::string words;
  for (const Side side : kSides) {
    const RepeatedWork repeated = repeated_work(comparison, side);
    if (repeated.time == 0) continue;
    if (static_cast<double>(repeated.of_model) < kLeastOfModel * static_cast<double>(repeated.time)) continue;
    const auto busy = static_cast<double>(comparison.activity(side).busy);
    if (static_cast<double>(repeated.time) < Thresholds{}.noticeable * busy) continue;
    words += fmt::format(
        "In its backward pass {} does again what is in its forward pass, {} does not: {} device ops{}, {} (as "
        "checkpoints of activations do, which save memory).\n",
        side == Side::a ? "A" : "B", side == Side::a ? "B" : "A",
        count_words(per_device_iteration(comparison, side, repeated.count)),
        comparison.per_iteration() ? " an iteration" : "",
        format_ns(static_cast<int64_t>(per_device_iteration(comparison, side, repeated.time))));
  }
  return words;
}

}  // namespace cgpu
