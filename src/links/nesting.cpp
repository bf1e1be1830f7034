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

bool comes_outer_first(const Slices& slices, SliceIndex a, SliceIndex b) {
  if (slices.start[a] != slices.start[b]) return slices.start[a] < slices.start[b];
  if (slices.duration[a] != slices.duration[b]) return slices.duration[a] > slices.duration[b];
  return a < b;
}

HostSlicesOuterFirst::HostSlicesOuterFirst(const Timeline& timeline) : begin_(timeline.tracks.size() + 1) {
  const Slices& slices = timeline.slices;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (is_host(timeline.kind(i))) ++begin_[slices.track[i] + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  slices_.resize(begin_.back());
  std::vector<SliceIndex> next(begin_.begin(), begin_.end() - 1);
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (is_host(timeline.kind(i))) slices_[next[slices.track[i]]++] = i;
  }
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
    sort_runs(std::span(slices_.data() + begin_[track], slices_.data() + begin_[track + 1]),
              [&](SliceIndex a, SliceIndex b) { return comes_outer_first(slices, a, b); });
  }
}

void for_each_thread_outer_first(const Timeline& timeline,
                                 const std::function<void(std::span<const SliceIndex>)>& visit) {
  const HostSlicesOuterFirst outer_first(timeline);
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) visit(outer_first.of(track));
}

void nest_host_slices(Timeline& timeline) {
  for_each_thread_outer_first(timeline, [&](std::span<const SliceIndex> own) {
    if (!own.empty()) timeline.tracks[timeline.slices.track[own.front()]].nested = nest(own, timeline);
  });
}

}  // namespace cgpu
