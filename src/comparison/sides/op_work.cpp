#include "comparison/sides/op_work.h"

#include <algorithm>
#include <vector>

#include "analysis/host/op_forest.h"
#include "comparison/comparison.h"
#include "comparison/words/device_words.h"

namespace cgpu {

namespace {

/// Adds up what the ops of one profile do: of a run, or of a capture that it replays.
void add_profile(const SessionFacts& facts, const Run& profile, const std::vector<LaunchedWork>& launched,
                 const std::optional<DevicePeaks>& peaks, OpWork& work) {
  const OpGroups& groups = facts.op_groups(profile);
  if (!groups.any_inputs) return;
  const SliceForest forest = op_forest(profile.timeline);
  for_each_costed_op(
      groups, forest, &OpCost::flops, launched, [&](const LaunchedWork& one) { work.flops_ns += one.duration; },
      [&](const LaunchedWork&, const OpGroups::Group& group) {
        const auto flops = static_cast<double>(*group.cost.flops);
        work.flops = work.flops.value_or(0) + flops;
        work.flops_by_op[std::get<0>(group.key)] += flops;
        if (!group.cost.peak.empty()) work.matrix_flops_by_type[group.cost.peak] += flops;
        work.matrix.add(group.cost, peaks);
      });
  for_each_costed_op(
      groups, forest, &OpCost::bytes, launched, [&](const LaunchedWork& one) { work.bytes_ns += one.duration; },
      [&](const LaunchedWork&, const OpGroups::Group& group) {
        const auto bytes = static_cast<double>(*group.cost.bytes);
        work.bytes = work.bytes.value_or(0) + bytes;
        work.bytes_by_op[std::get<0>(group.key)] += bytes;
      });
}

void add_run(const Comparison& comparison, Side side, size_t number, const std::optional<DevicePeaks>& peaks,
             OpWork& work) {
  const SessionFacts& facts = comparison.facts(side);
  const std::vector<uint32_t>& nodes = comparison.nodes_of_ops(side, number);
  for_each_launching_profile(
      facts.session(), facts.run(number),
      [&](OpIndex op, SliceIndex) { return nodes[op] == kNone ? std::nullopt : std::optional(uint32_t{0}); },
      [&](const Run& profile, const std::vector<LaunchedWork>& launched) {
        if (!launched.empty()) add_profile(facts, profile, launched, peaks, work);
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
  for (size_t run = 0; run < comparison.facts(side).session().runs.size(); ++run) {
    add_run(comparison, side, run, peaks, work);
  }
  return work;
}

}  // namespace cgpu
