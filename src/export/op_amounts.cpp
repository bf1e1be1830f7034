#include "export/op_amounts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/host/op_forest.h"
#include "analysis/op_shapes/costed_ops.h"

namespace cgpu {

namespace {

/// `known`: &OpCost::flops or &OpCost::bytes.
void apportion(const OpGroups& groups, const SliceForest& forest, std::optional<int64_t> OpCost::*known,
               const std::vector<LaunchedWork>& launched, std::vector<int64_t>& amounts) {
  const CostedOps ops = find_costed_ops(groups, forest, launched,
                                        [&](const OpGroups::Group& group) { return (group.cost.*known).has_value(); });
  std::map<std::pair<SliceIndex, uint32_t>, std::vector<const LaunchedWork*>> work_of_op;  // op, replay
  for (size_t i = 0; i < launched.size(); ++i) {
    const SliceIndex op = ops.of_work[i];
    if (op != kNone && ops.counts[op]) work_of_op[{op, launched[i].replay}].push_back(&launched[i]);
  }
  for (const auto& [op, all_work] : work_of_op) {
    const int64_t amount = std::max<int64_t>(*(groups.groups[groups.of_slice[op.first]].cost.*known), 0);
    double total = 0;
    for (const LaunchedWork* work : all_work) total += static_cast<double>(work->duration);
    double until = 0;
    int64_t given = 0;
    for (const LaunchedWork* work : all_work) {
      until += static_cast<double>(work->duration);
      const bool is_last = work == all_work.back();
      const int64_t share_until =
          is_last
              ? amount
              : std::min(amount, total > 0 ? static_cast<int64_t>(static_cast<double>(amount) * (until / total)) : 0);
      amounts[work->place] = share_until - std::exchange(given, share_until);
    }
  }
}

}  // namespace

OpAmounts op_amounts(const Session& session, const Run& run) {
  OpAmounts amounts;
  amounts.flops.assign(run.timeline.device_ops.size(), -1);
  amounts.bytes.assign(run.timeline.device_ops.size(), -1);
  for_each_launching_profile(
      session, run, [](OpIndex op, SliceIndex) { return std::optional(op); },
      [&](const Run& profile, const std::vector<LaunchedWork>& launched) {
        const OpGroups groups = group_ops(profile);
        if (!groups.any_inputs) return;
        const SliceForest forest = op_forest(profile.timeline);
        apportion(groups, forest, &OpCost::flops, launched, amounts.flops);
        apportion(groups, forest, &OpCost::bytes, launched, amounts.bytes);
      });
  return amounts;
}

}  // namespace cgpu
