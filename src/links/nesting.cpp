#include "links/nesting.h"

#include <numeric>
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
    // A slice that ends before this one contains neither this one nor, if this one does not, any that begins later.
    while (!open.empty() && open.back().end < slice.end) open.pop_back();
    if (!open.empty()) parent[slice.slice] = open.back().slice;
    open.push_back(slice);
  }
}

}  // namespace

void nest_host_slices(Timeline& timeline) {
  Slices& slices = timeline.slices;
  std::vector<SliceIndex> begin(timeline.tracks.size() + 1);  // of each track in `of_track`
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (is_host(timeline.kind(i))) ++begin[slices.track[i] + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<SliceIndex> of_track(begin.back());
  std::vector<SliceIndex> next(begin.begin(), begin.end() - 1);
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (is_host(timeline.kind(i))) of_track[next[slices.track[i]]++] = i;
  }
  std::vector<Bounds> bounds;
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
    bounds.clear();
    bounds.reserve(begin[track + 1] - begin[track]);
    for (SliceIndex k = begin[track]; k < begin[track + 1]; ++k) {
      const SliceIndex i = of_track[k];
      bounds.push_back({slices.start[i], slices.end(i), i});
    }
    nest(bounds, slices.parent);
  }
}

}  // namespace cgpu
