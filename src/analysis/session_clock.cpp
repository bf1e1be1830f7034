#include "analysis/session_clock.h"

#include <algorithm>

#include "analysis/device/device_ops.h"

namespace cgpu {

namespace {

void add_moment(Interval& extent, int64_t time) {
  constexpr int64_t kMost = INT64_MAX / 4;  // differences fit; a century is a tenth of it
  if (time < -kMost || time > kMost) return;
  extent.begin = std::min(extent.begin, time);
  extent.end = std::max(extent.end, time);
}

}  // namespace

std::optional<Interval> extent_of(const Timeline& timeline) {
  return extent_of(timeline, 0, static_cast<SliceIndex>(timeline.slices.size()));
}

std::optional<Interval> extent_of(const Run& run) {
  return run.released_totals ? run.released_totals->extent : extent_of(run.timeline);
}

std::optional<Interval> extent_of(const Timeline& timeline, SliceIndex begin, SliceIndex end) {
  Interval extent{INT64_MAX, INT64_MIN};
  const SliceKinds kinds = timeline.kinds();
  for (SliceIndex i = begin; i < end; ++i) {
    if (kinds[i] == SliceKind::profiler_span || !is_plausible(timeline, i)) continue;
    extent.begin = std::min(extent.begin, timeline.slices.start[i]);
    extent.end = std::max(extent.end, timeline.slices.end(i));
  }
  if (extent.end == INT64_MIN) return std::nullopt;
  return extent;
}

std::optional<Interval> extent_of_samples(const Timeline& timeline) {
  Interval extent{INT64_MAX, INT64_MIN};
  for (const int64_t time : timeline.counters.time) add_moment(extent, time);
  for (const MemoryEvent& event : timeline.memory) add_moment(extent, event.time);
  if (extent.end == INT64_MIN) return std::nullopt;
  return extent;
}

std::optional<Interval> extent_of_events(const Timeline& timeline) {
  Interval extent = extent_of_samples(timeline).value_or(Interval{INT64_MAX, INT64_MIN});
  for (const Instant& instant : timeline.instants) add_moment(extent, instant.time);
  if (extent.end == INT64_MIN) return std::nullopt;
  return extent;
}

bool has_common_clock(const Session& session) {
  using Method = RunClock::Method;
  return session.runs.size() <= 1 || std::all_of(session.runs.begin(), session.runs.end(), [](const Run& run) {
           const Method method = run.clock.method;
           return method == Method::alone ? run.clock_is_unix : method != Method::unaligned;
         });
}

std::vector<int64_t> time_zeros(const Session& session) {
  if (!session.zeros.empty()) return session.zeros;
  std::vector<std::optional<Interval>> extents;
  for (const Run& run : session.runs) {
    extents.push_back(extent_of(run));
    if (!extents.back())
      extents.back() = run.released_totals ? run.released_totals->event_extent : extent_of_events(run.timeline);
  }
  return time_zeros(session, extents);
}

std::vector<int64_t> time_zeros(const Session& session, const std::vector<std::optional<Interval>>& extents) {
  std::vector<int64_t> zeros;
  std::optional<int64_t> first;  // with clock_base
  for (size_t i = 0; i < extents.size(); ++i) {
    zeros.push_back(extents[i] ? extents[i]->begin : 0);
    if (!extents[i]) continue;
    first = std::min(first.value_or(INT64_MAX), extents[i]->begin + session.runs[i].clock_base);
  }
  if (first && has_common_clock(session)) {
    for (size_t i = 0; i < zeros.size(); ++i) zeros[i] = *first - session.runs[i].clock_base;
  }
  return zeros;
}

}  // namespace cgpu
