#include "analysis/findings/long_stretches.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/lower_median.h"

namespace cgpu {

namespace {

/// ns from the end of a call that launches or waits to the begin of the next one of its thread.
void add_times_between_calls(const SessionFacts& facts, size_t run, std::vector<int64_t>& times) {
  const Timeline& t = facts.run(run).timeline;
  std::vector<SliceIndex> calls;
  for (const LaunchingCall& launching : facts.launching_calls(run)) calls.push_back(launching.call);
  for (const Wait& wait : facts.waits(run).all()) {
    if (is_call(t.kind(wait.slice))) calls.push_back(wait.slice);
  }
  std::erase_if(calls, [&](SliceIndex call) { return t.slices.track[call] == kNone; });
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

double long_stretch(const SessionFacts& facts, double at_most) {
  constexpr size_t kFewest = 100;  // fewer say nothing of the pace of a host
  constexpr double kFarLonger = 20;
  constexpr double kShortest = 200'000;
  constexpr double kNearlyAll = 0.8;
  std::vector<int64_t> times;
  for (size_t run = 0; run < facts.session().runs.size(); ++run) add_times_between_calls(facts, run, times);
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
