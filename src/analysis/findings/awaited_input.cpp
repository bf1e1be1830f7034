#include "analysis/findings/awaited_input.h"

#include <algorithm>
#include <string_view>

#include "analysis/common/name_rules.h"
#include "analysis/idle/idle_causes.h"

namespace cgpu {

AwaitedInput awaited_input(const Timeline& host, SliceIndex slice) {
  constexpr int64_t kTyping = 100'000'000;  // ns
  AwaitedInput awaited;
  for (; slice != kNone; slice = host.slices.parent[slice]) {
    const std::string_view name = host.name(slice);
    const std::string_view typed =
        host.slices.duration[slice] >= kTyping ? label_of(NameList::typed_input, name) : std::string_view();
    if (!typed.empty() || waits_for_event(name)) awaited = {slice, typed == "read"};
  }
  return awaited;
}

ProcessTimes::ProcessTimes(const Timeline& timeline) : timeline_(timeline) {
  constexpr Interval kNever{INT64_MAX, INT64_MIN};
  std::vector<Interval> of_tracks(timeline.tracks.size(), kNever);
  const auto widen = [](Interval& time, const Interval& by) {
    time = {std::min(time.begin, by.begin), std::max(time.end, by.end)};
  };
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    const TrackIndex track = timeline.slices.track[slice];
    if (track != kNone) widen(of_tracks[track], {timeline.slices.start[slice], timeline.slices.end(slice)});
  }
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
    if (timeline.tracks[track].kind != TrackKind::host_thread || of_tracks[track].end < of_tracks[track].begin)
      continue;
    widen(processes_.try_emplace(timeline.tracks[track].process, kNever).first->second, of_tracks[track]);
  }
}

bool ProcessTimes::waits_for_started(SliceIndex slice) const {
  const Interval wait{timeline_.slices.start[slice], timeline_.slices.end(slice)};
  const TrackIndex track = timeline_.slices.track[slice];
  const auto own = track == kNone ? processes_.end() : processes_.find(timeline_.tracks[track].process);
  if (own == processes_.end()) return false;
  return std::ranges::any_of(processes_, [&](const auto& process) {
    const Interval& time = process.second;
    const int64_t both = std::min(time.end, wait.end) - std::max(time.begin, wait.begin);
    return time.begin > own->second.begin && 2 * both >= wait.end - wait.begin && 2 * both >= time.end - time.begin;
  });
}

bool are_unequal(std::vector<int64_t> times) {
  constexpr size_t kFewest = 4;
  if (times.size() < kFewest) return false;
  std::ranges::sort(times);
  return 2 * times[times.size() * 3 / 4] >= 3 * times[times.size() / 4];
}

}  // namespace cgpu
