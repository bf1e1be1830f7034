// Stacks folded by name: each slice of a host thread below those around it, each device op below the call that launched
// it. Flame graphs are made of this, and the call trees of timelines (folded_timeline.h).
//
// Folding is O(slices): 2 bytes a slice while a run is folded, 4 where there are more than 65,000 nodes, and a look-up
// in a hash table for each slice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/host/launch_calls.h"
#include "links/nesting.h"
#include "model/narrow_column.h"
#include "model/run.h"

namespace cgpu {

/// Nodes as columns, parents before their children; several roots.
class StackTree {
 public:
  static constexpr uint32_t kRoot = UINT32_MAX;   // the parent of a root
  static constexpr uint8_t kNoClass = UINT8_MAX;  // of what is no device op

  struct Node {
    uint32_t parent = kRoot;
    uint32_t name = 0;  // into names
    uint8_t kind = 0;   // as in the colour of a tile
    uint8_t kernel_class = kNoClass;
    uint64_t count = 0;
    double self = 0;   // here
    double value = 0;  // here and below
  };

  std::vector<Node> nodes;
  std::vector<std::string> names;

  uint32_t name(std::string_view text);
  /// The child of `parent` with this name, added if it is new.
  uint32_t child(uint32_t parent, uint32_t name, uint8_t kind);
  /// Values from what the nodes cost by themselves. O(nodes).
  void add_up();
  double total() const;

 private:
  std::unordered_map<std::string, uint32_t> number_of_;
  struct Slot {
    uint64_t key = UINT64_MAX;  // parent and name
    uint32_t node = 0;
  };
  size_t slot_of(uint64_t key) const;
  std::vector<Slot> child_of_;  // open addressing, a power of two, at most half full
};

/// What becomes of the marks of iterations, each of which has a name of its own.
enum class StepFrames : uint8_t { merged, apart };
/// Whether each host thread has a root of its own.
enum class ThreadFrames : uint8_t { merged, apart };
/// Whether calls of a device's runtime are frames.
enum class CallFrames : uint8_t { shown, left_out };

/// Calls visit(slice, part) for the parts of time that belong to each host slice: at every moment of a thread, of the
/// slices that it is in, the last one in the order of nesting. Of a slice that contains others, what they leave; where
/// slices overlap without nesting, the later one has the common time. Over a thread the parts add up to the time in
/// which it is in any slice. O(n log n).
template <typename Visit>
void for_each_host_self_part(const Timeline& timeline, Visit visit) {
  const Slices& slices = timeline.slices;
  struct Open {
    int64_t end;
    SliceIndex slice;
  };
  std::vector<Open> open;
  for_each_thread_outer_first(timeline, [&](std::span<const SliceIndex> outer_first) {
    int64_t now = INT64_MIN;  // up to which time has an owner
    const auto advance = [&](int64_t time) {
      for (; !open.empty() && now < time; open.pop_back()) {
        const int64_t end = std::min(open.back().end, time);
        if (end > now) {
          visit(open.back().slice, Interval{now, end});
          now = end;
        }
        if (open.back().end > time) return;
      }
      now = std::max(now, time);
    };
    for (const SliceIndex slice : outer_first) {
      if (!is_plausible(timeline, slice)) continue;
      advance(slices.start[slice]);
      open.push_back({slices.end(slice), slice});
    }
    advance(INT64_MAX);
    open.clear();
  });
}

/// Folds host slices of one run after another into a tree, each with those above it when it is first asked for.
class StackFolder {
 public:
  explicit StackFolder(StackTree& tree, StepFrames steps, ThreadFrames threads = ThreadFrames::merged,
                       CallFrames calls = CallFrames::shown)
      : tree_(tree), steps_(steps), threads_(threads), calls_(calls) {}

  /// From now on slices are of this timeline.
  void enter(const Timeline& timeline);
  /// The node of a slice; that of the one above where it does not count; kRoot where there is none.
  uint32_t node_of(SliceIndex slice) {
    const uint32_t node = known_node_of(slice);
    return node != kUnasked ? node : find_node_of(slice);
  }
  /// Calls visit(node, slice) for every host slice that counts.
  template <typename Visit>
  void fold_host(const Timeline& timeline, Visit visit) {
    enter(timeline);
    const auto size = static_cast<SliceIndex>(timeline.slices.size());
    for (SliceIndex slice = 0; slice < size; ++slice) {
      if (counts(slice)) visit(node_of(slice), slice);
    }
  }
  /// The same, and own(node, ns) such that over all calls the ns of a node add up to the parts of time that belong to
  /// its slices. Where the slices of a thread nest, a slice has its duration without those of the slices directly in
  /// it.
  template <typename Visit, typename Own>
  void fold_host(const Timeline& timeline, Visit visit, Own own) {
    const Slices& slices = timeline.slices;
    const auto tracks = slices.track.values();
    std::vector<uint8_t> nested;  // by track
    for (const Track& track : timeline.tracks) nested.push_back(track.nested ? 1 : 0);
    bool all_nested = true;
    fold_host(timeline, [&](uint32_t node, SliceIndex slice) {
      visit(node, slice);
      const TrackIndex track = tracks[slice];
      if (nested[track] == 0) {
        all_nested = false;
        return;
      }
      const int64_t duration = slices.duration[slice];
      own(node, duration);
      // Of another track where that thread handed the work over. One that does not count has no time to take from.
      SliceIndex parent = slices.parent[slice];
      while (parent != kNone && tracks[parent] == track && !counts(parent)) parent = slices.parent[parent];
      if (parent != kNone && tracks[parent] == track) own(known_node_of(parent), -duration);
    });
    if (all_nested) return;
    for_each_host_self_part(timeline, [&](SliceIndex slice, Interval part) {
      if (nested[tracks[slice]] != 0) return;
      const uint32_t node = node_of(slice);
      if (node != StackTree::kRoot) own(node, part.end - part.begin);  // kRoot: a call that is left out, below nothing
    });
  }
  /// Calls visit(node, slice) for every device op of a run. The node is below that of the call that launched the op,
  /// also where the call lies outside of the part that the session is of; unknown launches have a root.
  template <typename Visit>
  void fold_device(const Session& session, size_t run, Visit visit) {
    const Timeline& timeline = session.runs[run].timeline;
    std::vector<OpIndex> ops;
    ops.reserve(timeline.device_ops.size());
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex) { ops.push_back(op); });
    const OpsInFullRun full_run = ops_in_full_run(session, run, ops);
    enter(full_run.timeline);
    std::vector<uint32_t> name_of(timeline.names.size(), UINT32_MAX);
    for (size_t i = 0; i < ops.size(); ++i) {
      const SliceIndex slice = timeline.device_ops.slice[ops[i]];
      uint32_t& name = name_of[timeline.slices.name[slice]];
      if (name == UINT32_MAX) name = tree_.name(timeline.name(slice));
      const uint32_t above =
          above_device_op(launch_of(full_run.timeline, full_run.timeline.device_ops.slice[full_run.ops[i]]));
      const uint32_t node = tree_.child(above, name, static_cast<uint8_t>(timeline.kind(slice)));
      tree_.nodes[node].kernel_class = timeline.device_ops.kernel_class[ops[i]];
      visit(node, slice);
    }
  }

 private:
  static constexpr uint32_t kUnasked = UINT32_MAX - 1;
  static constexpr uint32_t kKnown = 2;  // makes kUnasked 0, and all others small
  static_assert(kUnasked + kKnown == 0 && StackTree::kRoot + kKnown == 1);

  /// Whether a slice has a node of its own: those that nest on host threads, of plausible duration.
  bool counts(SliceIndex slice) const {
    return category_counts_[timeline_->slices.category[slice]] != 0 && is_plausible(*timeline_, slice);
  }
  uint32_t known_node_of(SliceIndex slice) const { return known_[slice] - kKnown; }
  uint32_t find_node_of(SliceIndex slice);
  uint32_t fold(SliceIndex slice, uint32_t above);
  uint32_t above_device_op(SliceIndex call);
  uint32_t root_of(TrackIndex track);
  std::string_view frame_name(std::string_view name) const;

  StackTree& tree_;
  StepFrames steps_;
  ThreadFrames threads_;
  CallFrames calls_;
  const Timeline* timeline_ = nullptr;
  std::vector<uint8_t> category_counts_;  // by category of the timeline, whether its slices have nodes of their own
  std::vector<uint32_t> name_of_;         // in the tree, by number in the timeline
  NarrowColumn<uint32_t, 0, uint16_t> known_;  // by slice, its node plus kKnown
  std::vector<uint32_t> root_of_;              // by track, where threads are apart
  std::vector<SliceIndex> above_;
};

}  // namespace cgpu
