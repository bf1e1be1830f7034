// The call paths of the samples of a track as boxes: a lane a depth, one box for neighbours that share the frame there.
//
// Frames are the functions of the call tree and the entries above them; loops, lines and instructions belong to the
// function that they lie in. Two samples share a frame where it is the same node, which means the same path from the
// root; they are neighbours where the second begins when the first ends. O(samples + boxes); 36 bytes a box. Brute
// force with the same result: write the path of every sample down, and join equal frames of neighbours lane by lane.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/call_tree.h"
#include "tiles/lanes/derived_slices.h"

namespace cgpu {

/// What is shown of the paths of a track, from the outermost frame on.
inline constexpr uint32_t kMostPathLanes = 64;
inline constexpr uint64_t kMostPathBoxes = uint64_t{4} << 20;

/// The frames of a call tree. O(nodes); 8 bytes a node.
class Frames {
 public:
  explicit Frames(const CallTree& tree);

  /// The frame that a node lies in, or the outer one that has the last lane; kNoNode for the root.
  NodeIndex of(NodeIndex node) const { return frame_[node]; }
  /// The frame that called another; kNoNode for the outermost.
  NodeIndex caller(NodeIndex frame) const { return frame_[tree_.nodes.parent[frame]]; }
  /// The number of frames on the path to a node, with those that have no lane.
  uint32_t length(NodeIndex node) const { return length_[node]; }

 private:
  const CallTree& tree_;
  std::vector<NodeIndex> frame_;
  std::vector<uint32_t> length_;
};

/// One place of the call tree for some time.
struct PathSample {
  SliceIndex slice = kNone;
  Interval time;
  NodeIndex node = kNoNode;
};

/// The samples among `slices` (of one track) that the call tree knows, by start. A sample ends where the next begins at
/// the latest: a thread is at one place at a time.
std::vector<PathSample> path_samples(const Timeline& timeline, const CallTree& tree,
                                     const std::vector<SliceIndex>& slices);

/// How many lanes and boxes the paths of a track take.
struct PathExtent {
  uint32_t longest = 0;  // frames of the longest path
  uint32_t lanes = 0;    // that are shown: within both limits, but at least one
  uint64_t boxes = 0;    // on these
};
PathExtent path_extent(const Frames& frames, const std::vector<PathSample>& samples,
                       uint64_t most_boxes = kMostPathBoxes);

/// The slices are the boxes, by start, outer before inner. Name: the frame's node; origin: the first sample; lane: the
/// depth of its frame; parent: the box of the caller, kNone on the first lane.
struct CallPaths : LaneSlices {
  std::vector<uint32_t> samples;  // that a box joins
};
CallPaths call_paths(const Frames& frames, const std::vector<PathSample>& samples, const PathExtent& extent);

/// Calls visit(box, frame, start) for each of the boxes that call_paths makes, without making them.
void for_each_box(const Frames& frames, const std::vector<PathSample>& samples, uint32_t lanes,
                  const std::function<void(SliceIndex, NodeIndex, int64_t)>& visit);

}  // namespace cgpu
