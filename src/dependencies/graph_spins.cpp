// Host threads that wait without a call that waits: they spin on a value in memory that a kernel writes at its end, or
// ask the driver again and again whether it has ended (cudaEventQuery).
//
// No profile records that. It shows in the times: the thread launches, makes no other call until the op has ended, and
// makes the next one right afterwards, nearly every time that it stops behind such an op.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "dependencies/graph_builder.h"
#include "links/waiting_calls.h"

namespace cgpu {

namespace {

/// What is shorter is the usual pace of a thread that launches.
constexpr int64_t kShortestSpin = 50'000;
/// The thread goes on at most so long after the op, and after a tenth of the time that it stopped: else it may as well
/// have computed.
constexpr int64_t kLongestReaction = 100'000;
constexpr int64_t kSpinToReaction = 10;
/// Once or twice it is chance.
constexpr size_t kFewestSpins = 10;
constexpr double kNearlyAlways = 0.9;

}  // namespace

/// The stops of host threads behind launches: where a thread neither launches nor waits for kShortestSpin.
std::vector<GraphBuilder::Stop> GraphBuilder::stops_of_threads(size_t run) const {
  const Timeline& t = timeline(run);
  const PerRun& per_run = per_run_[run];
  std::vector<SliceIndex> last_op(t.slices.size(), kNone);  // by call: of the ops that it launched
  for (const std::vector<SliceIndex>& stream : per_run.streams) {
    for (const SliceIndex op : stream) {
      const SliceIndex call = t.slices.launch[op];
      if (call == kNone) continue;
      if (last_op[call] == kNone || per_run.ends[op] > per_run.ends[last_op[call]]) last_op[call] = op;
    }
  }
  std::vector<Stop> stops;
  for (TrackIndex track = 0; track < per_run.threads.size(); ++track) {
    const std::vector<MomentIndex>& thread = per_run.threads[track];
    const auto slice_at = [&](size_t place) { return graph_.moments_[thread[place]].slice; };
    for (size_t i = 0; i < thread.size(); ++i) {
      const SliceIndex call = slice_at(i);
      const SliceIndex op = last_op[call];
      if (op == kNone || per_run.ends[call] != kNone) continue;  // launched nothing; or waits by itself
      size_t next = i + 1;
      while (next < thread.size() && !is_call(t.kind(slice_at(next)))) ++next;  // marks of steps
      if (next == thread.size()) continue;
      const int64_t begin = time_of(thread[i]) + t.slices.duration[call];
      const int64_t end = time_of(thread[next]);
      if (end - begin < kShortestSpin) continue;
      const int64_t ended = time_of(per_run.ends[op]);
      const int64_t reaction = end - ended;
      const bool at_end = ended >= begin && reaction >= 0 && reaction <= kLongestReaction &&
                          reaction <= (end - begin) / kSpinToReaction;
      stops.push_back({track, call, op, i, at_end});
    }
  }
  return stops;
}

void GraphBuilder::find_spins(size_t run) {
  const Timeline& t = timeline(run);
  PerRun& per_run = per_run_[run];
  std::vector<Stop> stops = stops_of_threads(run);
  const auto keep_usual = [&] {  // of each thread and kernel
    struct Counts {
      size_t all = 0;
      size_t at_end = 0;
    };
    const auto key = [&](const Stop& stop) { return std::pair(stop.track, t.slices.name[stop.op]); };
    std::map<std::pair<TrackIndex, StringId>, Counts> counts;
    for (const Stop& stop : stops) {
      Counts& of_kernel = counts[key(stop)];
      ++of_kernel.all;
      of_kernel.at_end += stop.at_end ? 1 : 0;
    }
    std::erase_if(stops, [&](const Stop& stop) {
      const Counts& of_kernel = counts.at(key(stop));
      return of_kernel.at_end < kFewestSpins ||
             static_cast<double>(of_kernel.at_end) < kNearlyAlways * static_cast<double>(of_kernel.all);
    });
  };
  keep_usual();
  if (stops.empty()) return;
  // A thread that calls the driver meanwhile for more than whether the op has ended does something else.
  std::map<TrackIndex, std::vector<int64_t>> calls;
  for (const Stop& stop : stops) calls[stop.track];
  for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
    if (!is_call(t.kind(slice)) || asks_for_end(t.name(slice))) continue;
    const auto of_track = calls.find(t.slices.track[slice]);
    if (of_track != calls.end()) of_track->second.push_back(t.slices.start[slice]);
  }
  for (auto& [track, starts] : calls) std::sort(starts.begin(), starts.end());
  for (Stop& stop : stops) {
    const std::vector<int64_t>& starts = calls.at(stop.track);
    const auto next = std::lower_bound(starts.begin(), starts.end(), t.slices.end(stop.call));
    stop.at_end = stop.at_end && (next == starts.end() || *next >= t.slices.end(stop.op));
  }
  keep_usual();
  for (const Stop& stop : stops) {
    if (!stop.at_end) continue;
    const std::vector<MomentIndex>& thread = per_run.threads[stop.track];
    const MomentIndex ended = per_run.ends[stop.op];
    const auto after =
        std::upper_bound(thread.begin() + static_cast<std::ptrdiff_t>(stop.place) + 1, thread.end(), ended);
    const int64_t call_end = time_of(thread[stop.place]) + t.slices.duration[stop.call];
    const int64_t in_call = std::max<int64_t>(0, call_end - time_of(*std::prev(after)));
    per_run.spins.push_back({stop.op, *after, in_call + time_of(*after) - time_of(ended)});
  }
}

}  // namespace cgpu
