#include "links/window.h"

#include <algorithm>
#include <vector>

namespace cgpu {

namespace {

/// Numbers of the kept slices by their old numbers; kNone for the others.
std::vector<SliceIndex> number_kept_slices(const Slices& slices, int64_t begin, int64_t end) {
  std::vector<SliceIndex> number(slices.size(), kNone);
  SliceIndex next = 0;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    const bool instant = slices.duration[i] == 0;
    const bool inside = slices.start[i] < end && (instant ? slices.start[i] >= begin : slices.end(i) > begin);
    if (inside) number[i] = next++;
  }
  return number;
}

/// Keeps the entries of one column, or of several of equal length, for which `keep(i)` holds.
template <typename Keep, typename... Columns>
void keep_entries(size_t size, const Keep& keep, Columns&... columns) {
  size_t kept = 0;
  for (size_t i = 0; i < size; ++i) {
    if (!keep(i)) continue;
    ((columns[kept] = columns[i]), ...);
    ++kept;
  }
  (columns.resize(kept), ...);
}

/// Drops the slices without a number, and what belongs to them. Gives how many of the others lost their launch.
int64_t keep_slices(Timeline& timeline, const std::vector<SliceIndex>& number) {
  Slices& slices = timeline.slices;
  const auto renumbered = [&](SliceIndex i) { return i == kNone ? kNone : number[i]; };
  const auto is_kept = [&](SliceIndex i) { return number[i] != kNone; };
  int64_t lost_launches = 0;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (!is_kept(i)) continue;
    if (slices.launch[i] != kNone && !is_kept(slices.launch[i])) ++lost_launches;
    slices.parent[i] = renumbered(slices.parent[i]);
    slices.launch[i] = renumbered(slices.launch[i]);
  }
  DeviceOps& ops = timeline.device_ops;
  keep_entries(
      ops.size(), [&](size_t i) { return is_kept(ops.slice[i]); }, ops.slice, ops.device, ops.stream, ops.bytes,
      ops.copy, ops.source, ops.destination, ops.kind, ops.kernel_class);
  for (SliceIndex& slice : ops.slice) slice = number[slice];
  keep_entries(
      slices.size(), [&](size_t i) { return number[i] != kNone; }, slices.start, slices.duration, slices.name,
      slices.track, slices.category, slices.flags, slices.correlation, slices.source, slices.parent, slices.launch);
  std::erase_if(timeline.collectives, [&](const Collective& c) { return !is_kept(c.slice); });
  for (Collective& collective : timeline.collectives) collective.slice = number[collective.slice];
  std::erase_if(timeline.links, [&](const Link& link) { return !is_kept(link.from) || !is_kept(link.to); });
  for (Link& link : timeline.links) link = {link.kind, number[link.from], number[link.to]};
  return lost_launches;
}

}  // namespace

void select_window(Run& run, int64_t begin, int64_t end) {
  Timeline& timeline = run.timeline;
  Slices& slices = timeline.slices;
  const std::vector<SliceIndex> number = number_kept_slices(slices, begin, end);
  int64_t clipped = 0;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (number[i] == kNone) continue;
    const int64_t first = std::max(slices.start[i], begin);
    const int64_t last = std::min(slices.end(i), end);
    if (last - first != slices.duration[i]) {
      ++clipped;
      slices.flags[i] |= kClipped;
    }
    slices.start[i] = first;
    slices.duration[i] = last - first;
  }
  const size_t before = slices.size();
  const int64_t lost_launches = keep_slices(timeline, number);

  const auto inside = [&](int64_t time) { return begin <= time && time < end; };
  std::erase_if(timeline.memory, [&](const MemoryEvent& event) { return !inside(event.time); });
  std::erase_if(timeline.instants, [&](const Instant& instant) { return !inside(instant.time); });
  Counters& counters = timeline.counters;
  const std::vector<int64_t> times = counters.time;
  keep_entries(
      times.size(), [&](size_t i) { return inside(times[i]); }, counters.track, counters.time, counters.value);

  run.notes.add("outside_window", static_cast<int64_t>(before - slices.size()),
                "slices lie outside the selected time and were left out");
  run.notes.add("clipped", clipped, "slices reach over a border of the selected time and were cut there");
  run.notes.add("launch_outside_window", lost_launches,
                "device ops were launched outside the selected time; they belong to no op here");
}

void select_tracks(Run& run, const std::function<bool(const Track&)>& keep) {
  Timeline& timeline = run.timeline;
  std::vector<bool> kept;
  for (const Track& track : timeline.tracks) kept.push_back(keep(track));
  if (std::all_of(kept.begin(), kept.end(), [](bool one) { return one; })) return;
  const auto on_kept = [&](TrackIndex track) { return track == kNone || kept[track]; };
  std::vector<SliceIndex> number(timeline.slices.size(), kNone);
  SliceIndex next = 0;
  for (SliceIndex i = 0; i < number.size(); ++i) {
    if (on_kept(timeline.slices.track[i])) number[i] = next++;
  }
  keep_slices(timeline, number);
  std::erase_if(timeline.instants, [&](const Instant& instant) { return !on_kept(instant.track); });
}

}  // namespace cgpu
