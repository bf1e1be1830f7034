// The facts about the runs of a session that are needed to list its tracks.
//
// One pass over the slices, in pieces on several threads, and at the same time the device ops (4 bytes an
// op are kept). Pieces are merged by sums, minima and maxima, so that the result depends neither on their borders nor
// on their order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/session_facts.h"
#include "base/interval_set.h"
#include "model/run.h"
#include "tiles/track_part.h"

namespace cgpu {

/// The slices of one part (track_part.h) of a track of the profile.
struct PartFacts {
  uint64_t slices = 0;
  SliceIndex first = kNone;
  SliceIndex last = 0;
  bool operator==(const PartFacts&) const = default;
};

struct SliceFacts {
  std::optional<Interval> extent;                         // analysis/session_clock.h
  std::vector<std::array<PartFacts, kTrackParts>> parts;  // by track
  bool annotations = false;                               // some slice is a host annotation
  bool projected = false;                                 // the profiler itself projected some onto a device

  SliceFacts() = default;
  /// The facts about the slices [begin, end).
  SliceFacts(const Timeline& timeline, SliceIndex begin, SliceIndex end);
  void merge(const SliceFacts& other);
  bool operator==(const SliceFacts&) const = default;
};

struct DeviceFacts {
  std::vector<OpIndex> ops;    // with plausible durations, sorted as in ops_by_start.h
  bool launched = false;       // some op has a launch in the profile
  bool communication = false;  // some op communicates
  bool products = false;       // some op multiplies matrices or is a convolution
  bool operator==(const DeviceFacts&) const = default;
};

struct OpFacts {
  std::map<int32_t, DeviceFacts> devices;  // those with plausible ops
  /// By track; a stream without ops has the device of its process, if that has just one.
  std::vector<std::optional<int32_t>> device_of;
  bool in_file_order = true;  // the slices of the ops ascend

  OpFacts() = default;
  explicit OpFacts(const Timeline& timeline);
  bool operator==(const OpFacts&) const = default;
};

struct RunFacts {
  SliceFacts slices;
  std::optional<Interval> events;  // extent_of_events
  OpFacts ops;
  bool steps = false;        // there are some
  std::set<int32_t> memory;  // devices with allocator events
};

/// The facts of each run. `threads`: at least 1. Asks for the steps of the session too, which the tracks will want.
std::vector<RunFacts> find_facts(const SessionFacts& session, unsigned threads);

}  // namespace cgpu
