// What a stream or a device was given to do: its ops, by when they were given and by when they ended.
//
// An op is given when its launch call begins; where the profile has no launch, when it starts itself.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

/// A process of the host, as the tracks of one run tell them apart: a small number.
using ProcessIndex = uint32_t;

class GivenWork {
 public:
  struct Op {
    int64_t given = 0;
    int64_t start = 0;
    int64_t end = 0;
    SliceIndex slice = kNone;
  };

  int32_t device = -1;
  int64_t stream = -1;           // -1: all of the device's
  ProcessIndex process = kNone;  // whose work it is; kNone where the profile does not say

  void add(const Op& op) { ops_.push_back(op); }
  /// Call once, after the last `add`. O(n log n), O(n) for what comes sorted.
  void finish();

  /// Of the ops given up to `limit` the one that ends last; null for none. O(log n).
  const Op* last_given(int64_t limit) const;
  /// The first op given from `limit` on. O(log n).
  const Op* first_given_from(int64_t limit) const;
  /// Of the ops given up to `limit` the last that has ended by `until`. Looks at a few hundred ops at most: ops that
  /// end before others of their stream were given are rarely many.
  const Op* last_ended(int64_t limit, int64_t until) const;

 private:
  std::vector<Op> ops_;           // by given, start
  std::vector<uint32_t> latest_;  // of ops_ up to here the one that ends last
  std::vector<uint32_t> by_end_;
};

/// The work of a run, by stream and by device. O(ops log ops).
class AllWork {
 public:
  explicit AllWork(const Timeline& timeline);

  /// Whose work it is, as far as that is known: -1, or kNone, for any. Also work of which the process is not known.
  struct Whose {
    bool whole_device = false;  // else of a stream
    int32_t device = -1;
    int64_t stream = -1;
    ProcessIndex process = kNone;
  };
  /// All that it can be; nothing where that would be hundreds.
  std::optional<std::vector<const GivenWork*>> find(const Whose& whose) const;
  /// What the ops of a track were given to; null for a track without ops.
  const GivenWork* of_track(TrackIndex track) const;
  /// The process of a host track, or whose ops a track of a device has; kNone where not known.
  ProcessIndex process_of(TrackIndex track) const { return process_of_[track]; }

 private:
  using ByNumber = std::vector<std::pair<int64_t, uint32_t>>;  // number of a stream or device, place; sorted

  std::vector<GivenWork> streams_;
  std::vector<GivenWork> devices_;
  ByNumber stream_numbers_;
  ByNumber device_numbers_;
  std::vector<uint32_t> stream_of_track_;  // place in streams_
  std::vector<ProcessIndex> process_of_;   // by track
};

}  // namespace cgpu
