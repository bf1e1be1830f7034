// What a first look at the runs of a session finds: all that has to be known before its tracks can be listed.
//
// One look at every slice, in pieces on several threads, and beside it the device ops (4 bytes an op are kept). What
// two pieces found is put together by sums, least and greatest numbers, so that neither their borders nor their order
// can be seen in it.
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

/// What one part of a track of the profile holds.
struct PartFacts {
  uint64_t slices = 0;
  SliceIndex first = kNone;
  SliceIndex last = 0;
  bool operator==(const PartFacts&) const = default;
};

struct SliceFacts {
  std::optional<Interval> extent;                         // analysis/session_clock.h
  std::vector<std::array<PartFacts, kTrackParts>> parts;  // by track
  bool annotations = false;                               // of the host
  bool projected = false;                                 // by the profiler onto a device

  SliceFacts() = default;
  /// Of the slices [begin, end).
  SliceFacts(const Timeline& timeline, SliceIndex begin, SliceIndex end);
  void merge(const SliceFacts& other);
  bool operator==(const SliceFacts&) const = default;
};

struct DeviceFacts {
  std::vector<OpIndex> ops;    // that count, as ops_by_start.h sorts them
  bool launched = false;       // some op has a launch in the profile
  bool communication = false;  // some op communicates
  bool operator==(const DeviceFacts&) const = default;
};

struct OpFacts {
  std::map<int32_t, DeviceFacts> devices;  // those with ops that count
  std::vector<std::optional<int32_t>>
      device_of;              // by track; of a stream without ops that of its process, if it has one
  bool in_file_order = true;  // the ops as their slices

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

/// By run. `threads`: at least 1. Asks for the steps of the session too, which the tracks will want.
std::vector<RunFacts> find_facts(const SessionFacts& session, unsigned threads);

}  // namespace cgpu
