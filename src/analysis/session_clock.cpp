#include "analysis/session_clock.h"

#include <algorithm>

#include "analysis/device_ops.h"

namespace cgpu {

std::optional<Interval> extent_of(const Timeline& timeline) {
  std::optional<Interval> extent;
  const Slices& slices = timeline.slices;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    if (timeline.kind(i) == SliceKind::profiler_span || !is_plausible(timeline, i)) continue;
    if (!extent) extent = Interval{slices.start[i], slices.end(i)};
    extent->begin = std::min(extent->begin, slices.start[i]);
    extent->end = std::max(extent->end, slices.end(i));
  }
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
  std::vector<int64_t> zeros;
  std::optional<int64_t> first;  // with clock_base
  for (const Run& run : session.runs) {
    const std::optional<Interval> extent = extent_of(run.timeline);
    zeros.push_back(extent ? extent->begin : 0);
    if (extent) first = std::min(first.value_or(INT64_MAX), extent->begin + run.clock_base);
  }
  if (first && has_common_clock(session)) {
    for (size_t i = 0; i < zeros.size(); ++i) zeros[i] = *first - session.runs[i].clock_base;
  }
  return zeros;
}

}  // namespace cgpu
