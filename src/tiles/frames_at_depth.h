// What a track of call paths shows at one depth: a row of the frames there, and where a path is shorter, of its
// innermost.
//
// The times of a row add up to those of the outermost frames, at every depth. O(boxes) to make a row, O(log pieces) to
// find a time in it. Brute force with the same result: go through the samples, and join those whose frame at the depth
// is in the same box, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tiles/call_paths.h"
#include "tiles/lane_index.h"

namespace cgpu {

/// The parts of the boxes that a depth shows, by start, none over another: boxes of that depth whole, and of those
/// above them what no box below covers. None lasts 0 ns. Columns of equal length.
struct DepthPieces {
  std::vector<int64_t> start;  // ns on the run's clock
  std::vector<int64_t> duration;
  std::vector<SliceIndex> box;  // of the CallPaths
};
/// `depth`: 1 for the outermost frames.
DepthPieces pieces_at_depth(const CallPaths& paths, uint32_t depth);

/// The pieces with what finds a time among them.
class FramesAtDepth {
 public:
  /// `zero`: the time on the run's clock that is 0 in the viewer.
  FramesAtDepth(const CallPaths& paths, uint32_t depth, int64_t zero);
  FramesAtDepth(const FramesAtDepth&) = delete;
  FramesAtDepth& operator=(const FramesAtDepth&) = delete;

  uint32_t depth() const { return depth_; }
  const DepthPieces& pieces() const { return pieces_; }
  const LaneIndex& lanes() const { return lanes_; }
  SliceTimes times() const { return {pieces_.start, pieces_.duration, zero_}; }
  /// Calls visit(box, ns) for each piece that lasts some time in [from, to), with that time. Viewer times.
  void for_each_in(int64_t from, int64_t to, const std::function<void(SliceIndex, int64_t)>& visit) const;

 private:
  uint32_t depth_;
  int64_t zero_;
  DepthPieces pieces_;
  LaneIndex lanes_;
};

}  // namespace cgpu
