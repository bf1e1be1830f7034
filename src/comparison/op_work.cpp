#include "comparison/op_work.h"

#include <algorithm>
#include <vector>

#include "analysis/host/op_forest.h"
#include "analysis/op_shapes/op_groups.h"
#include "comparison/comparison.h"
#include "comparison/device_words.h"

namespace cgpu {

namespace {

using Known = std::optional<int64_t> OpCost::*;

/// The ops of one run that count, for FLOPs or for bytes.
class CountedOps {
 public:
  CountedOps(const OpGroups& groups, const SliceForest& forest, Known known)
      : groups_(groups), forest_(forest), known_(known), counts_(groups.of_slice.size()) {}

  /// Device work was launched from here. Returns whether it lies in an op with a formula.
  bool add(SliceIndex call) {
    SliceIndex op = forest_.above(call);
    while (op != kNone && !has_formula(op)) op = forest_.above(op);
    if (op == kNone) return false;
    if (!counts_[op]) found_.push_back(op);
    counts_[op] = true;
    return true;
  }

  /// Calls visit(cost, name) for each op that has device work and no op inside that counts.
  template <typename Visit>
  void for_each(Visit visit) {
    for (const SliceIndex op : found_) {
      for (SliceIndex above = forest_.above(op); above != kNone; above = forest_.above(above)) counts_[above] = false;
    }
    for (const SliceIndex op : found_) {
      if (!counts_[op]) continue;
      const OpGroups::Group& group = groups_.groups[groups_.of_slice[op]];
      visit(group.cost, std::get<0>(group.key));
    }
  }

 private:
  bool has_formula(SliceIndex op) const {
    const uint32_t group = groups_.of_slice[op];
    return group != OpGroups::kNoGroup && (groups_.groups[group].cost.*known_).has_value();
  }

  const OpGroups& groups_;
  const SliceForest& forest_;
  Known known_;
  std::vector<bool> counts_;  // by slice
  std::vector<SliceIndex> found_;
};

void add_run(const Comparison& comparison, Side side, size_t run, const std::optional<DevicePeaks>& peaks,
             OpWork& work) {
  const Timeline& timeline = comparison.facts(side).run(run).timeline;
  const OpGroups groups = group_ops(comparison.facts(side).run(run));
  if (!groups.any_inputs) return;
  const SliceForest forest = op_forest(timeline);
  CountedOps of_flops(groups, forest, &OpCost::flops);
  CountedOps of_bytes(groups, forest, &OpCost::bytes);
  const std::vector<uint32_t>& nodes = comparison.nodes_of_ops(side, run);
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    const SliceIndex call = launch_of(timeline, slice);
    if (nodes[op] == kNone || call == kNone) return;
    if (of_flops.add(call)) work.flops_ns += timeline.slices.duration[slice];
    if (of_bytes.add(call)) work.bytes_ns += timeline.slices.duration[slice];
  });
  of_flops.for_each([&](const OpCost& cost, const std::string& name) {
    const auto flops = static_cast<double>(*cost.flops);
    work.flops = work.flops.value_or(0) + flops;
    work.flops_by_op[name] += flops;
    if (cost.peak.empty() || !work.ns_at_peak) return;
    const auto rate = peaks ? matrix_rate(*peaks, cost.peak) : std::nullopt;
    work.ns_at_peak = rate ? std::optional(*work.ns_at_peak + flops / *rate * 1e9) : std::nullopt;
  });
  of_bytes.for_each([&](const OpCost& cost, const std::string& name) {
    const auto bytes = static_cast<double>(*cost.bytes);
    work.bytes = work.bytes.value_or(0) + bytes;
    work.bytes_by_op[name] += bytes;
  });
}

bool has_shapes(const Comparison& comparison, Side side) {
  return std::any_of(comparison.groups().begin(), comparison.groups().end(), [&](const Comparison::Group& group) {
    const std::vector<WorkNode>& nodes = group.work[side]->nodes();
    return std::any_of(nodes.begin(), nodes.end(), [](const WorkNode& node) { return node.shapes != 0; });
  });
}

}  // namespace

std::optional<OpWork> op_work(const Comparison& comparison, Side side) {
  if (!has_shapes(comparison, side)) return std::nullopt;
  const auto peaks = models_of(comparison, side).peaks();
  OpWork work;
  work.ns_at_peak = 0;
  for (size_t run = 0; run < comparison.facts(side).session().runs.size(); ++run) {
    add_run(comparison, side, run, peaks, work);
  }
  if (work.ns_at_peak == 0.0) work.ns_at_peak.reset();
  return work;
}

}  // namespace cgpu
