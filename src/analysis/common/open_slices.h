// Which slices of a host thread are open at a moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/device/device_ops.h"
#include "model/timeline.h"

namespace cgpu {

/// Host threads are indexed when they are first asked for: O(slices) all together for the first, and O(n log n) in the
/// slices of each.
class OpenSlices {
 public:
  explicit OpenSlices(const Timeline& timeline) : timeline_(timeline) {}

  /// The innermost host slice of a thread that is open at a moment, begin included; kNone where there is none.
  SliceIndex innermost(TrackIndex thread, int64_t time) {
    if (thread == kNone || timeline_.tracks[thread].kind != TrackKind::host_thread) return kNone;
    const std::vector<SliceIndex>& begun = slices_of(thread);
    const Slices& slices = timeline_.slices;
    auto next =
        std::partition_point(begun.begin(), begun.end(), [&](SliceIndex slice) { return slices.start[slice] <= time; });
    // What is open contains the slice that began last, or is it.
    SliceIndex slice = next == begun.begin() ? kNone : *std::prev(next);
    while (slice != kNone && (slices.end(slice) <= time || slices.track[slice] != thread)) slice = slices.parent[slice];
    return slice;
  }

 private:
  const std::vector<SliceIndex>& slices_of(TrackIndex thread) {
    if (threads_.empty()) {
      for (SliceIndex slice = 0; slice < timeline_.slices.size(); ++slice) {
        if (!is_host(timeline_.kind(slice)) || !is_plausible(timeline_, slice)) continue;
        threads_[timeline_.slices.track[slice]].slices.push_back(slice);
      }
    }
    Thread& asked = threads_[thread];
    if (!asked.sorted) {
      const Slices& slices = timeline_.slices;
      std::stable_sort(asked.slices.begin(), asked.slices.end(), [&](SliceIndex a, SliceIndex b) {
        if (slices.start[a] != slices.start[b]) return slices.start[a] < slices.start[b];
        return slices.duration[a] > slices.duration[b];
      });
      asked.sorted = true;
    }
    return asked.slices;
  }

  struct Thread {
    std::vector<SliceIndex> slices;  // in order of their starts, the outer first, once sorted
    bool sorted = false;
  };
  const Timeline& timeline_;
  std::unordered_map<TrackIndex, Thread> threads_;
};

}  // namespace cgpu
