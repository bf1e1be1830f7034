// Which framework ops of a run count where their costs (op_costs.h) are added up: of ops inside of each other that have
// a formula, the innermost with device work, so that nothing counts twice.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/common/slice_forest.h"
#include "analysis/device/device_ops.h"
#include "analysis/host/captured_work.h"
#include "analysis/op_shapes/op_groups.h"
#include "model/plausible.h"

namespace cgpu {

/// Work of matrix units (products of matrices, convolutions, attention), against what they could do.
class MatrixWork {
 public:
  /// An op; what is no such work takes no part. `peaks`: of its device, absent where they are not known.
  void add(const OpCost& cost, const std::optional<DevicePeaks>& peaks) {
    if (!cost.flops || cost.peak.empty()) return;
    const auto flops = static_cast<double>(*cost.flops);
    flops_ += flops;
    const auto rate = peaks ? matrix_rate(*peaks, cost.peak) : std::nullopt;
    if (!rate) return;
    rated_flops_ += flops;
    ns_at_peak_ += flops / *rate * 1e9;
    for (const PeakRate& measured : peaks->achievable) {
      if (measured.type == cost.peak) ns_at_achievable_ = ns_at_achievable_.value_or(0) + flops / measured.flops * 1e9;
    }
  }
  /// The share of `ns` that the units would take at their peak rate for the types with a known one; absent for none.
  std::optional<double> mfu_pct(double ns) const {
    return rated_flops_ > 0 ? std::optional(100 * ns_at_peak_ / ns) : std::nullopt;
  }
  /// The same at the best rates that were measured for products of large matrices; absent where none is known.
  std::optional<double> achievable_pct(double ns) const {
    return ns_at_achievable_ ? std::optional(100 * *ns_at_achievable_ / ns) : std::nullopt;
  }
  /// The share of the FLOPs that are in such types.
  std::optional<double> known_pct() const {
    return flops_ > 0 ? std::optional(100 * rated_flops_ / flops_) : std::nullopt;
  }

 private:
  double flops_ = 0;
  double rated_flops_ = 0;
  double ns_at_peak_ = 0;
  std::optional<double> ns_at_achievable_;
};

/// A device op, by what costs are added up of it.
struct LaunchedWork {
  SliceIndex call = kNone;   // that launched it
  int64_t duration = 0;      // ns
  uint32_t place = 0;        // of the sum that it belongs to; the caller's
  uint32_t replay = 0;       // of what was captured: an op counts once a replay. Those of one replay follow each other
  bool may_multiply = true;  // whether it may be work of matrix units
};

/// Not what a product is only prepared with: an op that casts or copies its inputs and then stops (as a forward pass
/// that is done again for its backward pass does as soon as it has all that is needed) has no product.
inline bool may_multiply(KernelClass kernel_class) {
  return kernel_class != KernelClass::copy && kernel_class != KernelClass::set && kernel_class != KernelClass::layout &&
         kernel_class != KernelClass::elementwise && kernel_class != KernelClass::random;
}

/// Calls visit(profile, launched) for each profile that has the calls of a run's device work: the captures of what it
/// replays, and the run itself, which is of `session`. place_of(op, slice) is the place of a device op; ops without one
/// are left out.
template <typename PlaceOf, typename Visit>
void for_each_launching_profile(const Session& session, const Run& run, PlaceOf place_of, Visit visit) {
  const Timeline& timeline = run.timeline;
  std::vector<bool> is_captured(timeline.device_ops.size());
  std::vector<LaunchedWork> launched;
  for (const CapturedWork& work : run.captured) {
    launched.clear();
    for (const CapturedOp& one : work.ops) {
      is_captured[one.op] = true;
      const std::optional<uint32_t> place = place_of(one.op, timeline.device_ops.slice[one.op]);
      const bool multiplies = may_multiply(class_of(timeline, one.op));
      if (place) launched.push_back({one.call, duration_of(run, one), *place, one.replay, multiplies});
    }
    visit(run_of_capture(session, run, work), launched);
  }
  launched.clear();
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    const SliceIndex call = launch_of(timeline, slice);
    if (is_captured[op] || call == kNone) return;
    const std::optional<uint32_t> place = place_of(op, slice);
    const bool multiplies = may_multiply(class_of(timeline, op));
    if (place) launched.push_back({call, timeline.slices.duration[slice], *place, 0, multiplies});
  });
  visit(run, launched);
}

/// Which ops the launched work counts for.
struct CostedOps {
  std::vector<SliceIndex> of_work;  // by place in the launched work: the innermost op with a cost around it, or kNone
  std::vector<bool> counts;         // by slice: whether an op has work of its own (of a product: that may be one), and
                                    // none inside it has
};

/// `has_cost(group)`: whether the ops of a group take part. `forest`: the framework ops of the run that `groups` are of
/// (op_forest.h). O(slices + work times the depth of ops).
template <typename HasCost>
CostedOps find_costed_ops(const OpGroups& groups, const SliceForest& forest, const std::vector<LaunchedWork>& launched,
                          HasCost has_cost) {
  CostedOps ops;
  ops.counts.resize(groups.of_slice.size());
  const auto takes_part = [&](SliceIndex op) {
    return groups.of_slice[op] != OpGroups::kNoGroup && has_cost(groups.groups[groups.of_slice[op]]);
  };
  std::vector<SliceIndex> with_work;
  for (const LaunchedWork& work : launched) {
    SliceIndex op = forest.above(work.call);
    while (op != kNone && !takes_part(op)) op = forest.above(op);
    ops.of_work.push_back(op);
    if (op == kNone || ops.counts[op]) continue;
    const bool is_product = !groups.groups[groups.of_slice[op]].cost.peak.empty();
    if (is_product && !work.may_multiply) continue;
    ops.counts[op] = true;
    with_work.push_back(op);
  }
  std::vector<bool> has_product = ops.counts;  // or another op with a cost inside it that has work
  for (const SliceIndex op : with_work) {
    for (SliceIndex above = forest.above(op); above != kNone; above = forest.above(above)) {
      ops.counts[above] = false;
      has_product[above] = true;
    }
  }
  for (SliceIndex& op : ops.of_work) {
    if (op != kNone && !has_product[op]) op = kNone;  // casts for a product that never came
  }
  return ops;
}

/// `known`: &OpCost::flops or &OpCost::bytes. Calls visit_time(work) for the work that lies in an op with such a cost,
/// and visit_op(work, group) once for each op that counts, with the first work of it.
template <typename VisitTime, typename VisitOp>
void for_each_costed_op(const OpGroups& groups, const SliceForest& forest, std::optional<int64_t> OpCost::*known,
                        const std::vector<LaunchedWork>& launched, VisitTime visit_time, VisitOp visit_op) {
  const CostedOps ops = find_costed_ops(groups, forest, launched,
                                        [&](const OpGroups::Group& group) { return (group.cost.*known).has_value(); });
  std::vector<uint32_t> last_replay(groups.of_slice.size(), UINT32_MAX);
  for (size_t i = 0; i < launched.size(); ++i) {
    const SliceIndex op = ops.of_work[i];
    if (op == kNone) continue;
    visit_time(launched[i]);
    const uint32_t replay = launched[i].replay;
    if (!ops.counts[op] || std::exchange(last_replay[op], replay) == replay) continue;
    visit_op(launched[i], groups.groups[groups.of_slice[op]]);
  }
}

}  // namespace cgpu
