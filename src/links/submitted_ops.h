// The ops that were submitted to a stream or a device, by the time of their submission and by their end.
//
// An op is submitted when its launch call begins, or, where the profile has no launch of it, when the op itself starts.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

/// A host process of one run, numbered in the order of the tracks.
using ProcessIndex = uint32_t;

/// When an op was submitted.
inline int64_t submission_of(const Timeline& timeline, SliceIndex op) {
  const SliceIndex launch = timeline.slices.launch[op];
  return timeline.slices.start[launch == kNone ? op : launch];
}

/// The ops of one stream, or of all streams of a device, that one process submitted. 12 bytes an op.
class SubmittedOps {
 public:
  /// The timeline must outlive this.
  explicit SubmittedOps(const Timeline& timeline) : timeline_(&timeline) {}

  int32_t device = -1;
  int64_t stream = -1;           // -1: all streams of the device
  ProcessIndex process = kNone;  // that submitted them; kNone where the profile does not say

  void add(SliceIndex op) { ops_.push_back(op); }
  /// Call once, after the last `add`. O(n log n), O(n) for what comes sorted.
  void finish();

  /// Of the ops submitted until `limit` the one that ends last; kNone for none. O(log n).
  SliceIndex last_to_end(int64_t limit) const;
  /// The first op submitted at `limit` or later; kNone for none. O(log n).
  SliceIndex first_submitted(int64_t limit) const;
  /// Of the ops submitted until `limit` the last that has ended by `until`; kNone for none. Looks at the 256 ops before
  /// `until` only: that more of them were submitted after `limit` is rare.
  SliceIndex last_ended(int64_t limit, int64_t until) const;

 private:
  int64_t end_of(uint32_t place) const { return timeline_->slices.end(ops_[place]); }

  const Timeline* timeline_;
  std::vector<SliceIndex> ops_;   // by submission, then start
  std::vector<uint32_t> latest_;  // for each place in ops_, the op up to it that ends last
  std::vector<uint32_t> by_end_;
};

/// The submitted ops of a run by stream and by device. Building is O(ops log ops).
class SubmissionIndex {
 public:
  explicit SubmissionIndex(const Timeline& timeline);

  /// What is known of a stream or device; -1, or kNone, matches any. A process also matches ops of unknown process.
  struct Query {
    bool whole_device = false;  // else of a stream
    int32_t device = -1;
    int64_t stream = -1;
    ProcessIndex process = kNone;
  };
  /// All streams (or devices) that match; absent where these are more than 256.
  std::optional<std::vector<const SubmittedOps*>> find(const Query& query) const;
  /// The stream of a track's ops; null for a track without ops.
  const SubmittedOps* of_track(TrackIndex track) const;
  /// The process of a host track, or the one that submitted the ops of a device track; kNone where not known.
  ProcessIndex process_of(TrackIndex track) const { return process_of_[track]; }

 private:
  using ByNumber = std::vector<std::pair<int64_t, uint32_t>>;  // number of a stream or device, place; sorted

  std::vector<SubmittedOps> streams_;
  std::vector<SubmittedOps> devices_;
  ByNumber stream_numbers_;
  ByNumber device_numbers_;
  std::vector<uint32_t> stream_of_track_;  // place in streams_
  std::vector<ProcessIndex> process_of_;   // by track
};

}  // namespace cgpu
