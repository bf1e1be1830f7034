#include "links/nesting.h"

#include <vector>

#include "base/sort_runs.h"

namespace cgpu {

namespace {

struct Bounds {
  int64_t start;
  int64_t end;
  SliceIndex slice;

  /// Outer slices first.
  bool operator<(const Bounds& other) const {
    if (start != other.start) return start < other.start;
    if (end != other.end) return end > other.end;
    return slice < other.slice;
  }
};

void nest(std::vector<Bounds>& slices, std::vector<SliceIndex>& parent) {
  sort_runs(slices);
  std::vector<Bounds> open;
  for (const Bounds& slice : slices) {
    // What ends before this slice does contains neither it nor, better than it, anything that begins later.
    while (!open.empty() && open.back().end < slice.end) open.pop_back();
    if (!open.empty()) parent[slice.slice] = open.back().slice;
    open.push_back(slice);
  }
}

}  // namespace

void nest_host_slices(Timeline& timeline) {
  Slices& slices = timeline.slices;
  std::vector<std::vector<Bounds>> of_track(timeline.tracks.size());
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (is_host(timeline.kind(i))) of_track[slices.track[i]].push_back({slices.start[i], slices.end(i), i});
  }
  for (std::vector<Bounds>& track : of_track) nest(track, slices.parent);
}

}  // namespace cgpu
