// How long a thread that launches did nothing that a profile shows, so that it may have had nothing to do.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/rule_context.h"
#include "analysis/host/thread_times.h"

namespace cgpu {

namespace {

/// Which threads scheduling or samples show at work, by track.
std::map<TrackIndex, const ThreadTimes*> seen_threads(const Timeline& t, const std::vector<ThreadTimes>& threads) {
  using Names = std::pair<std::string_view, std::string_view>;  // process, thread
  std::map<Names, const ThreadTimes*> by_name;
  for (const ThreadTimes& one : threads) {
    if (one.evidence != ThreadEvidence::calls) by_name.emplace(Names(one.process, one.thread), &one);
  }
  std::map<TrackIndex, const ThreadTimes*> seen;
  for (TrackIndex track = 0; track < t.tracks.size() && !by_name.empty(); ++track) {
    const auto found = by_name.find(Names(t.tracks[track].process, t.tracks[track].thread));
    if (found != by_name.end()) seen.emplace(track, found->second);
  }
  return seen;
}

/// Whether times are as unlike as those between requests are, of which one says nothing of the next: of a Poisson
/// process the median is 2.4 times the lower quartile, and the upper quartile twice the median. Of work of two lengths
/// one of these is about 1.
bool vary_widely(std::vector<int64_t> times) {
  constexpr size_t kFewest = 20;
  constexpr double kAboveLower = 1.8;
  constexpr double kBelowUpper = 1.6;
  if (times.size() < kFewest) return false;
  std::ranges::sort(times);
  const auto quartile = [&](size_t number) { return static_cast<double>(times[times.size() * number / 4]); };
  return quartile(2) >= kAboveLower * quartile(1) && quartile(3) >= kBelowUpper * quartile(2);
}

}  // namespace

RuleContext::Silence RuleContext::silence() {
  constexpr int64_t kLong = 100'000'000;
  path(IdleCause::host_code);
  if (judged_.iterates()) return {};
  std::vector<int64_t> lengths;
  for (const Stretch& stretch : stretches_) lengths.push_back(stretch.length);
  const int64_t least = vary_widely(std::move(lengths)) ? static_cast<int64_t>(long_stretch_) : kLong;
  int64_t silent = 0;
  for (size_t run = 0; run < facts_.whole().session().runs.size(); ++run) {
    const Timeline& t = facts_.whole().run(run).timeline;
    std::set<TrackIndex> explained;  // threads
    std::map<TrackIndex, std::vector<int64_t>> moments;
    for (const Stretch& stretch : stretches_) {
      if (stretch.run == run && stretch.length >= least) moments[stretch.thread];
    }
    if (moments.empty()) continue;
    for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
      const auto of_thread = is_host(t.kind(slice)) ? moments.find(t.slices.track[slice]) : moments.end();
      if (of_thread == moments.end()) continue;
      if (t.kind(slice) == SliceKind::os_call || t.kind(slice) == SliceKind::python_function) {
        explained.insert(of_thread->first);
      }
      of_thread->second.push_back(t.slices.start[slice]);
      of_thread->second.push_back(t.slices.end(slice));
    }
    for (auto& [thread, times] : moments) std::sort(times.begin(), times.end());
    const std::vector<ThreadTimes> threads = thread_times(facts_.whole().session().runs[run]);
    const std::map<TrackIndex, const ThreadTimes*> seen = seen_threads(t, threads);
    for (const Stretch& stretch : stretches_) {
      if (stretch.run != run || stretch.length < least || explained.contains(stretch.thread)) continue;
      const auto times_of_thread = seen.find(stretch.thread);
      if (times_of_thread != seen.end()) {
        const Interval& time = stretch.time;
        const int64_t ran = times_of_thread->second->at_work.clip(time.begin, time.end).length();
        if (2 * ran >= time.end - time.begin) continue;
      }
      const std::vector<int64_t>& times = moments.at(stretch.thread);
      int64_t longest = 0;
      int64_t from = stretch.time.begin;
      const auto first = std::upper_bound(times.begin(), times.end(), stretch.time.begin);
      for (auto next = first; next != times.end() && *next < stretch.time.end; ++next) {
        longest = std::max(longest, *next - from);
        from = *next;
      }
      longest = std::max(longest, stretch.time.end - from);
      if (longest >= least) silent += std::min(longest, stretch.length);
    }
  }
  return {silent, least};
}

}  // namespace cgpu
