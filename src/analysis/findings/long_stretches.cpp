#include "analysis/findings/long_stretches.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/lower_median.h"

namespace cgpu {

namespace {

/// ns from the end of a call of a GPU runtime or driver to the begin of the next one of its thread.
void add_times_between_calls(const Timeline& t, std::vector<int64_t>& times) {
  std::vector<SliceIndex> calls;
  for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
    if (is_call(t.kind(slice)) && t.slices.track[slice] != kNone) calls.push_back(slice);
  }
  std::ranges::sort(calls, {}, [&](SliceIndex call) { return std::tuple(t.slices.track[call], t.slices.start[call]); });
  TrackIndex track = kNone;
  int64_t until = 0;
  for (const SliceIndex call : calls) {
    const bool is_first = t.slices.track[call] != track;
    if (!is_first && t.slices.start[call] >= until) times.push_back(t.slices.start[call] - until);
    track = t.slices.track[call];
    until = is_first ? t.slices.end(call) : std::max(until, t.slices.end(call));
  }
}

}  // namespace

double long_stretch(const Session& session, double at_most) {
  constexpr size_t kFewest = 100;  // fewer say nothing of the pace of a host
  constexpr double kFarLonger = 20;
  constexpr double kShortest = 200'000;
  constexpr double kNearlyAll = 0.8;
  std::vector<int64_t> times;
  for (const Run& run : session.runs) add_times_between_calls(run.timeline, times);
  if (times.size() < kFewest) return at_most;
  const double least = std::max(kShortest, kFarLonger * static_cast<double>(lower_median(times)));
  double in_long = 0, in_short = 0;
  for (const int64_t ns : times) {
    const auto time = static_cast<double>(ns);
    if (time < at_most) (time < least ? in_short : in_long) += time;
  }
  return in_long >= kNearlyAll * (in_long + in_short) ? std::min(at_most, least) : at_most;
}

}  // namespace cgpu
