#include "readers/trace_event/insert_slices.h"

#include <algorithm>
#include <numeric>

namespace cgpu::trace_event {

namespace {

template <typename... Columns>
void resize(size_t size, Columns&... columns) {
  (columns.resize(size), ...);
}

template <typename... Columns>
void move_entry(size_t from, size_t to, Columns&... columns) {
  ((columns[to] = columns[from]), ...);
}

}  // namespace

void insert_slices(std::vector<NewSlice> made, Timeline& timeline) {
  if (made.empty()) return;
  std::sort(made.begin(), made.end(), [](const NewSlice& a, const NewSlice& b) { return a.source < b.source; });
  Slices& s = timeline.slices;
  size_t from = s.size();
  size_t to = from + made.size();
  std::vector<SliceIndex> number(from);  // the new ones of the old slices
  std::iota(number.begin(), number.end(), SliceIndex{0});
  resize(to, s.start, s.duration, s.name, s.track, s.category, s.flags, s.correlation, s.source);
  for (size_t left = made.size(); left > 0;) {  // from the end, so that nothing is overwritten before it has moved
    --to;
    if (from > 0 && s.source[from - 1] > made[left - 1].source) {
      --from;
      move_entry(from, to, s.start, s.duration, s.name, s.track, s.category, s.flags, s.correlation, s.source);
      number[from] = static_cast<SliceIndex>(to);
      continue;
    }
    const NewSlice& slice = made[--left];
    s.start[to] = slice.start;
    if (__builtin_sub_overflow(slice.end, slice.start, &s.duration[to])) s.duration[to] = INT64_MAX;
    s.name[to] = slice.name;
    s.track[to] = slice.track;
    s.category[to] = slice.category;
    s.flags[to] = slice.flags;
    s.correlation[to] = Slices::kNoCorrelation;
    s.source[to] = slice.source;
  }
  for (SliceIndex& slice : timeline.device_ops.slice) slice = number[slice];
  for (Collective& collective : timeline.collectives) collective.slice = number[collective.slice];
  for (Synchronization& one : timeline.synchronizations) one.slice = number[one.slice];
  for (auto& hint : timeline.hints.external) hint.slice = number[hint.slice];
  for (auto& hint : timeline.hints.sequence) hint.slice = number[hint.slice];
}

}  // namespace cgpu::trace_event
