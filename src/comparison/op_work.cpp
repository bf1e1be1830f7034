#include "comparison/op_work.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/host/captured_work.h"
#include "analysis/host/op_forest.h"
#include "analysis/op_shapes/op_groups.h"
#include "comparison/comparison.h"
#include "comparison/device_words.h"

namespace cgpu {

namespace {

using Known = std::optional<int64_t> OpCost::*;

/// The ops of one profile that count, for FLOPs or for bytes.
class CountedOps {
 public:
  CountedOps(const OpGroups& groups, const SliceForest& forest, Known known)
      : groups_(groups), forest_(forest), known_(known), counts_(groups.of_slice.size()) {}

  /// Device work was launched, or captured, from here. Returns whether it lies in an op with a formula.
  bool add(SliceIndex call) {
    SliceIndex op = forest_.above(call);
    while (op != kNone && !has_formula(op)) op = forest_.above(op);
    if (op == kNone) return false;
    if (!counts_[op]) found_.push_back(op);
    counts_[op] = true;
    return true;
  }

  /// Calls visit(cost, name) for each op that has device work and no op inside that counts, and forgets them.
  template <typename Visit>
  void take(Visit visit) {
    for (const SliceIndex op : found_) {
      for (SliceIndex above = forest_.above(op); above != kNone; above = forest_.above(above)) counts_[above] = false;
    }
    for (const SliceIndex op : found_) {
      if (!counts_[op]) continue;
      const OpGroups::Group& group = groups_.groups[groups_.of_slice[op]];
      visit(group.cost, std::get<0>(group.key));
      counts_[op] = false;
    }
    found_.clear();
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

/// Adds up what the ops of one profile do: of the run, or of a capture that it replays.
class WorkOfProfile {
 public:
  WorkOfProfile(const Run& profile, const std::optional<DevicePeaks>& peaks, OpWork& work)
      : groups_(group_ops(profile)),
        forest_(op_forest(profile.timeline)),
        of_flops_(groups_, forest_, &OpCost::flops),
        of_bytes_(groups_, forest_, &OpCost::bytes),
        peaks_(peaks),
        work_(work) {}

  /// Device work of so many ns was launched, or captured, from here.
  void add(SliceIndex call, int64_t time) {
    if (of_flops_.add(call)) work_.flops_ns += time;
    if (of_bytes_.add(call)) work_.bytes_ns += time;
  }

  /// What was added so far was done; what is added from now on is done again.
  void finish() {
    of_flops_.take([&](const OpCost& cost, const std::string& name) {
      const auto flops = static_cast<double>(*cost.flops);
      work_.flops = work_.flops.value_or(0) + flops;
      work_.flops_by_op[name] += flops;
      if (cost.peak.empty() || !work_.ns_at_peak) return;
      const auto rate = peaks_ ? matrix_rate(*peaks_, cost.peak) : std::nullopt;
      work_.ns_at_peak = rate ? std::optional(*work_.ns_at_peak + flops / *rate * 1e9) : std::nullopt;
    });
    of_bytes_.take([&](const OpCost& cost, const std::string& name) {
      const auto bytes = static_cast<double>(*cost.bytes);
      work_.bytes = work_.bytes.value_or(0) + bytes;
      work_.bytes_by_op[name] += bytes;
    });
  }

 private:
  OpGroups groups_;
  SliceForest forest_;
  CountedOps of_flops_;
  CountedOps of_bytes_;
  const std::optional<DevicePeaks>& peaks_;
  OpWork& work_;
};

void add_run(const Comparison& comparison, Side side, size_t number, const std::optional<DevicePeaks>& peaks,
             OpWork& work) {
  const Session& session = comparison.facts(side).session();
  const Run& run = comparison.facts(side).run(number);
  const Timeline& timeline = run.timeline;
  const std::vector<uint32_t>& nodes = comparison.nodes_of_ops(side, number);
  std::vector<bool> captured(timeline.device_ops.size());
  for (const CapturedWork& capture : run.captured) {
    WorkOfProfile of_capture(run_of_capture(session, run, capture), peaks, work);
    uint32_t replay = kNone;
    for (const CapturedOp& one : capture.ops) {
      captured[one.op] = true;
      if (nodes[one.op] == kNone) continue;
      if (std::exchange(replay, one.replay) != one.replay) of_capture.finish();
      of_capture.add(one.call, duration_of(run, one));
    }
    of_capture.finish();
  }
  WorkOfProfile of_run(run, peaks, work);
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    const SliceIndex call = launch_of(timeline, slice);
    if (captured[op] || nodes[op] == kNone || call == kNone) return;
    of_run.add(call, timeline.slices.duration[slice]);
  });
  of_run.finish();
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
