#include "links/nesting.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/sort_runs.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

/// Fills `parent` of slices of one thread, which come outer ones first. Returns whether all have plausible durations
/// and none overlaps another without one containing the other.
bool nest(std::span<const SliceIndex> outer_first, Timeline& timeline) {
  Slices& slices = timeline.slices;
  struct Open {
    int64_t end;
    SliceIndex slice;
  };
  std::vector<Open> open;
  bool nested = true;
  for (const SliceIndex i : outer_first) {
    const int64_t end = slices.end(i);
    nested = nested && is_plausible(timeline, i);
    // A slice that ends before this one contains neither this one nor, if this one does not, any that begins later.
    for (; !open.empty() && open.back().end < end; open.pop_back()) {
      nested = nested && open.back().end <= slices.start[i];
    }
    if (!open.empty()) slices.parent[i] = open.back().slice;
    open.push_back({end, i});
  }
  return nested;
}

}  // namespace

void for_each_thread_outer_first(const Timeline& timeline,
                                 const std::function<void(std::span<const SliceIndex>)>& visit) {
  const Slices& slices = timeline.slices;
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
  const auto is_outer = [&](SliceIndex a, SliceIndex b) {
    if (slices.start[a] != slices.start[b]) return slices.start[a] < slices.start[b];
    if (slices.duration[a] != slices.duration[b]) return slices.duration[a] > slices.duration[b];
    return a < b;
  };
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
    const std::span<SliceIndex> own{of_track.data() + begin[track], of_track.data() + begin[track + 1]};
    sort_runs(own, is_outer);
    visit(own);
  }
}

void nest_host_slices(Timeline& timeline) {
  for_each_thread_outer_first(timeline, [&](std::span<const SliceIndex> own) {
    if (!own.empty()) timeline.tracks[timeline.slices.track[own.front()]].nested = nest(own, timeline);
  });
}

}  // namespace cgpu
