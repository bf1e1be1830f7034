#include "analysis/idle/awaited_threads.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "analysis/common/name_rules.h"
#include "analysis/idle/idle_causes.h"

namespace cgpu {

namespace {

constexpr int64_t kAtOnce = 50'000;  // ns in which a thread goes on that another one wakes
constexpr size_t kMostThreads = 64;
constexpr int64_t kWorks = 5;  // a thread is at work that does nothing less than one part of so many

/// But for a device.
bool sleeps_or_waits(const Timeline& timeline, SliceIndex slice) {
  const std::string_view name = timeline.name(slice);
  const auto cause = cause_named_by(timeline.kind(slice), name);
  if (cause == IdleCause::lock || cause == IdleCause::no_work) return true;
  return waits_for_event(name) || is_sleep(name) || is_in(NameList::other_wait, name);
}

}  // namespace

ThreadWaits::ThreadWaits(const Timeline& timeline)
    : timeline_(timeline),
      is_wait_(timeline, [&](SliceIndex slice) { return is_in(NameList::thread_wait, timeline.name(slice)); }) {}

bool ThreadWaits::contain(SliceIndex slice) {
  while (slice != kNone && !is_wait_(slice)) slice = timeline_.slices.parent[slice];
  return slice != kNone;
}

AwaitedThreads::AwaitedThreads(const Timeline& timeline)
    : timeline_(timeline),
      innermost_(timeline),
      is_wait_(timeline, [&](SliceIndex slice) { return sleeps_or_waits(timeline, slice); }) {
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
    if (!innermost_.of(track).empty()) threads_[timeline.tracks[track].process].push_back(track);
  }
}

std::optional<TrackIndex> AwaitedThreads::of(TrackIndex thread, Interval wait) {
  const auto process = threads_.find(timeline_.tracks[thread].process);
  if (process == threads_.end() || process->second.size() > kMostThreads) return {};
  std::optional<TrackIndex> found;
  int64_t least = (wait.end - wait.begin) / kWorks;
  for (const TrackIndex other : process->second) {
    if (other == thread || !lets_go_on(other, wait)) continue;
    const int64_t time = without_work(other, wait);
    if (time >= least) continue;
    least = time;
    found = other;
  }
  return found;
}

int64_t AwaitedThreads::without_work(TrackIndex thread, Interval time) {
  const std::span<const SliceIndex> own = innermost_.of(thread);
  const auto begins = std::partition_point(
      own.begin(), own.end(), [&](SliceIndex slice) { return timeline_.slices.start[slice] < time.begin; });
  bool launches = false;
  for (auto at = begins; at != own.end() && timeline_.slices.start[*at] < time.end && !launches; ++at) {
    launches = is_call(timeline_.kind(*at));
  }
  int64_t sum = 0;
  innermost_.for_each(thread, time, [&](const Interval& part, SliceIndex slice) {
    if (slice == kNone ? !launches : is_wait_(slice)) sum += part.end - part.begin;
  });
  return sum;
}

bool AwaitedThreads::lets_go_on(TrackIndex thread, Interval wait) {
  const Slices& slices = timeline_.slices;
  const Interval about{wait.end - kAtOnce, wait.end + kAtOnce};
  const std::span<const SliceIndex> own = innermost_.of(thread);
  auto at =
      std::partition_point(own.begin(), own.end(), [&](SliceIndex slice) { return slices.start[slice] < about.begin; });
  for (; at != own.end() && slices.start[*at] <= about.end; ++at) {
    if (is_wait_(*at)) return true;
  }
  bool ends = false;  // what took half of the wait or more
  innermost_.for_each(thread, {about.begin, about.begin + 1}, [&](const Interval&, SliceIndex slice) {
    for (; slice != kNone && !ends; slice = slices.parent[slice]) {
      ends = slices.end(slice) <= about.end && 2 * slices.duration[slice] >= wait.end - wait.begin;
    }
  });
  return ends;
}

}  // namespace cgpu
