#include "analysis/idle/driver_lock_waits.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/host/launch_calls.h"
#include "base/lower_median.h"
#include "base/sort_runs.h"

namespace cgpu {

namespace {

/// Calls that overlap those of other threads wait for these where they take so many times as long as others, in the
/// median, on two threads or more. Threads that only share a core or memory take less than twice as long.
constexpr int64_t kContended = 3;
/// A single call waited where it takes so many times the usual.
constexpr int64_t kWaited = 2;
/// So few calls say nothing about the usual.
constexpr size_t kFewestCalls = 20;

/// The launch calls of one process.
class LaunchesOfProcess {
 public:
  LaunchesOfProcess(const Timeline& timeline, std::vector<SliceIndex> calls)
      : slices_(timeline.slices), calls_(std::move(calls)), overlaps_(calls_.size()) {
    sort_runs(calls_, [&](SliceIndex a, SliceIndex b) {
      return std::tuple(slices_.start[a], a) < std::tuple(slices_.start[b], b);
    });
    std::vector<size_t> open;  // places of calls that have not ended
    for (size_t i = 0; i < calls_.size(); ++i) {
      const int64_t start = slices_.start[calls_[i]];
      std::erase_if(open, [&](size_t other) { return slices_.end(calls_[other]) <= start; });
      for (const size_t other : open) {
        if (slices_.track[calls_[other]] == slices_.track[calls_[i]]) continue;
        overlaps_[other] = overlaps_[i] = true;
      }
      open.push_back(i);
    }
  }

  void add_waits(std::vector<DriverLockWait>& waits) const {
    const auto overlapping = static_cast<size_t>(std::count(overlaps_.begin(), overlaps_.end(), true));
    if (overlapping < 2 * kFewestCalls) return;  // of two threads
    std::map<StringId, std::vector<int64_t>> alone;
    std::map<std::pair<TrackIndex, StringId>, std::vector<int64_t>> together;
    for (size_t i = 0; i < calls_.size(); ++i) {
      const StringId name = slices_.name[calls_[i]];
      auto& durations = overlaps_[i] ? together[{slices_.track[calls_[i]], name}] : alone[name];
      durations.push_back(slices_.duration[calls_[i]]);
    }
    std::map<StringId, int64_t> usual;
    for (auto& [name, durations] : alone) {
      if (durations.size() >= kFewestCalls) usual[name] = lower_median(durations);
    }
    std::set<StringId> contended;
    std::set<TrackIndex> threads;
    for (auto& [key, durations] : together) {
      const auto& [track, name] = key;
      if (durations.size() < kFewestCalls || !usual.contains(name)) continue;
      if (lower_median(durations) < kContended * usual[name]) continue;
      contended.insert(name);
      threads.insert(track);
    }
    if (threads.size() < 2) return;
    for (size_t i = 0; i < calls_.size(); ++i) {
      const SliceIndex call = calls_[i];
      if (!overlaps_[i] || !contended.contains(slices_.name[call])) continue;
      const int64_t least = usual.at(slices_.name[call]);
      if (slices_.duration[call] >= kWaited * least) {
        waits.push_back({call, {slices_.start[call], slices_.end(call) - least}});
      }
    }
  }

 private:
  const Slices& slices_;
  std::vector<SliceIndex> calls_;  // in order of their starts
  std::vector<bool> overlaps_;     // by call: one of another thread
};

}  // namespace

std::vector<DriverLockWait> driver_lock_waits(const Timeline& timeline, const std::vector<SliceIndex>& calls) {
  const Slices& slices = timeline.slices;
  std::vector<bool> launches(slices.size());
  std::vector<bool> launching_thread(timeline.tracks.size());
  for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
    const SliceIndex call = launch_of(timeline, slice);
    if (call == kNone || slices.track[call] == kNone) return;
    launches[call] = true;
    launching_thread[slices.track[call]] = true;
  });
  std::map<std::string_view, size_t> threads;  // that launch, by process
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
    if (launching_thread[track]) ++threads[timeline.tracks[track].process];
  }
  std::map<std::string_view, std::vector<SliceIndex>> shared;  // calls, by process with several such threads
  for (const auto& [process, count] : threads) {
    if (count > 1) shared[process];
  }
  if (shared.empty()) return {};
  std::vector<std::vector<SliceIndex>*> calls_of(timeline.tracks.size());  // by track, those of its process
  for (TrackIndex track = 0; track < timeline.tracks.size(); ++track) {
    const auto of_process = shared.find(timeline.tracks[track].process);
    if (of_process != shared.end()) calls_of[track] = &of_process->second;
  }
  for (const SliceIndex call : calls) {
    std::vector<SliceIndex>* const of_process = launches[call] ? calls_of[slices.track[call]] : nullptr;
    if (of_process) of_process->push_back(call);
  }
  std::vector<DriverLockWait> waits;
  for (auto& [process, of_process] : shared) LaunchesOfProcess(timeline, std::move(of_process)).add_waits(waits);
  return waits;
}

}  // namespace cgpu
