// The open calls of one thread, as slices that nest on its track and as costs in a call tree.
//
// Some formats name their functions behind the calls: until name_frames, the name of a slice is the number of its
// place. O(1) a call.
#pragma once

#include <cstdint>
#include <vector>

#include "model/run.h"
#include "readers/common/call_tree_builder.h"

namespace cgpu {

/// What the calls of a thread are added to.
struct FrameSink {
  Run& run;
  CallTreeBuilder& tree;
  MetricIndex time = 0;   // ns
  uint16_t category = 0;  // of the slices
};

class FrameStack {
 public:
  FrameStack(FrameSink& sink, TrackIndex track, uint32_t profile) : sink_(sink), track_(track), profile_(profile) {}

  /// A call begins at `time` (ns, not before that of the last call or return).
  void open(uint32_t place, int64_t time);
  /// The innermost call returns.
  void close(int64_t time);

  size_t depth() const { return open_.size(); }
  /// Of the call at a depth, 0 is the outermost.
  uint32_t place(size_t depth) const { return sink_.tree.place(open_[depth].node); }

 private:
  struct Frame {
    NodeIndex node;
    SliceIndex slice;  // kNone where a run can hold no more
  };

  /// Charges the innermost call with the time since the last event.
  void spend(int64_t time);

  FrameSink& sink_;
  TrackIndex track_;
  uint32_t profile_;
  std::vector<Frame> open_;
  int64_t last_ = 0;
};

/// A category for slices that are calls of functions.
uint16_t add_frame_category(Timeline& timeline, const char* name);
/// Replaces the numbers of places in the slices of calls by the names of the places.
void name_frames(Timeline& timeline, const StringPool& names, const std::vector<CallPlace>& places);
/// The metric of the time that is spent in calls.
Metric call_time_metric();

}  // namespace cgpu
