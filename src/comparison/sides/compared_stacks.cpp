#include "comparison/sides/compared_stacks.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "comparison/attribution/apportion.h"

namespace cgpu {

namespace {

constexpr std::string_view kIdleFrame = "(idle)";
constexpr std::string_view kWaitingFrame = "(waiting for other ranks)";

/// Folds the runs of a side; what it costs is counted in whole nanoseconds by node.
class SideStacks {
 public:
  SideStacks(const Comparison& comparison, Side side, const ComparedPart& part, CallFrames calls)
      : comparison_(comparison),
        side_(side),
        part_(part),
        folder_(tree_, StepFrames::merged, ThreadFrames::merged, calls) {}

  StackTree explained_time() {
    Labels labels;
    std::map<std::pair<std::string_view, Label>, std::pair<int64_t, uint64_t>> idle;
    for (size_t run = 0; run < session().runs.size(); ++run) {
      const std::vector<Iteration>& iterations = add_windows(run);
      node_of_.assign(session().runs[run].timeline.device_ops.size(), StackTree::kRoot);
      fold_ops(run, [&](OpIndex op, uint32_t node) { node_of_[op] = node; });
      for_each_attributed_time(comparison_.facts(side_), run, iterations, comparison_.ends_of_waits(side_, run), labels,
                               [&](const AttributedTime& piece) {
                                 if (piece.op == kNone) {
                                   auto& [time, times] = idle[{piece.cause, piece.culprit}];
                                   time += piece.time;
                                   ++times;
                                   return;
                                 }
                                 const uint32_t op = node_of_[piece.op];
                                 add(piece.waiting ? child(op, kWaitingFrame) : op, piece.time);
                               });
    }
    for (const auto& [why, idle_time] : idle) {
      uint32_t node = child(child(StackTree::kRoot, kIdleFrame), why.first);
      if (why.second != 0) node = child(node, labels.text(why.second));
      add(node, idle_time.first);
      tree_.nodes[node].count += idle_time.second;
    }
    return finished();
  }

  StackTree device_time() {
    for (size_t run = 0; run < session().runs.size(); ++run) {
      const std::vector<Iteration>& iterations = add_windows(run);
      const Timeline& timeline = session().runs[run].timeline;
      fold_ops(run, [&](OpIndex op, uint32_t node) {
        const SliceIndex slice = timeline.device_ops.slice[op];
        if (!part_) {
          if (comparison_.nodes_of_ops(side_, run)[op] != kNone) add(node, timeline.slices.duration[slice]);
          return;
        }
        const Interval time{timeline.slices.start[slice], timeline.slices.end(slice)};
        for_each_part_in(iterations, &Iteration::time, time,
                         [&](uint32_t, Interval in) { add(node, in.end - in.begin); });
      });
    }
    return finished();
  }

  StackTree host_time() {
    for (size_t run = 0; run < session().runs.size(); ++run) {
      const Timeline& timeline = session().runs[run].timeline;
      const std::vector<Iteration>& iterations = iterations_of(run);
      windows_ += static_cast<int64_t>(iterations.size());
      const auto when = is_marked(iterations) ? &Iteration::mark : &Iteration::time;
      folder_.fold_host(timeline, [&](uint32_t node, SliceIndex slice) {
        if (iteration_at(iterations, when, timeline.slices.start[slice])) ++tree_.nodes[node].count;
      });
      for_each_host_self_part(timeline, [&](SliceIndex slice, Interval time) {
        for_each_part_in(iterations, when, time, [&](uint32_t, Interval in) {
          const uint32_t node = folder_.node_of(slice);
          if (node != StackTree::kRoot) add(node, in.end - in.begin);
        });
      });
    }
    return finished();
  }

 private:
  const Session& session() const { return comparison_.facts(side_).session(); }

  const std::vector<Iteration>& iterations_of(size_t run) {
    if (!part_) return comparison_.time(side_, run).iterations;
    const int64_t zero = comparison_.facts(side_).zeros()[run];
    const Interval time{part_->begin + zero, part_->end + zero};
    chosen_.clear();
    if (time.begin < time.end) chosen_.push_back({std::nullopt, time, time});
    return chosen_;
  }

  /// Those of a run, counted once for each device.
  const std::vector<Iteration>& add_windows(size_t run) {
    const std::vector<Iteration>& iterations = iterations_of(run);
    windows_ += static_cast<int64_t>(iterations.size() * ops_by_device(session().runs[run].timeline).size());
    return iterations;
  }

  /// Calls visit(op, node) for the device ops of a run, and counts those that begin in the compared time.
  template <typename Visit>
  void fold_ops(size_t run, Visit visit) {
    const Timeline& timeline = session().runs[run].timeline;
    const std::vector<Iteration>& iterations = iterations_of(run);
    std::vector<OpIndex> op_of(timeline.slices.size(), kNone);
    for (OpIndex op = 0; op < timeline.device_ops.size(); ++op) op_of[timeline.device_ops.slice[op]] = op;
    folder_.fold_device(session(), run, [&](uint32_t node, SliceIndex slice) {
      const OpIndex op = op_of[slice];
      const bool counts = part_ ? iteration_at(iterations, &Iteration::time, timeline.slices.start[slice]).has_value()
                                : comparison_.nodes_of_ops(side_, run)[op] != kNone;
      if (counts) ++tree_.nodes[node].count;
      visit(op, node);
    });
  }

  uint32_t child(uint32_t parent, std::string_view name) {
    return tree_.child(parent, tree_.name(name), static_cast<uint8_t>(SliceKind::other));
  }

  void add(uint32_t node, int64_t time) {
    if (time_.size() <= node) time_.resize(tree_.nodes.size());
    time_[node] += time;
  }

  StackTree finished() {
    time_.resize(tree_.nodes.size());
    const std::vector<int64_t> shares = apportion(time_, std::max<int64_t>(1, windows_));
    for (size_t i = 0; i < shares.size(); ++i) tree_.nodes[i].self = static_cast<double>(shares[i]);
    tree_.add_up();
    return std::move(tree_);
  }

  const Comparison& comparison_;
  Side side_;
  ComparedPart part_;
  StackTree tree_;
  StackFolder folder_;
  int64_t windows_ = 0;
  std::vector<int64_t> time_;      // ns by node
  std::vector<uint32_t> node_of_;  // by device op of a run
  std::vector<Iteration> chosen_;
};

}  // namespace

StackTree fold_explained_time(const Comparison& comparison, Side side, const ComparedPart& part) {
  return SideStacks(comparison, side, part, CallFrames::left_out).explained_time();
}

StackTree fold_compared_device_time(const Comparison& comparison, Side side, const ComparedPart& part) {
  return SideStacks(comparison, side, part, CallFrames::left_out).device_time();
}

StackTree fold_compared_host_time(const Comparison& comparison, Side side, const ComparedPart& part) {
  return SideStacks(comparison, side, part, CallFrames::shown).host_time();
}

}  // namespace cgpu
