#include "analysis/idle/load_waits.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "analysis/common/asked_names.h"
#include "analysis/idle/idle_causes.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

/// What takes less needs no explanation (ns).
constexpr int64_t kShortestLoadWait = 50'000;
/// What a call does by itself once the code has been loaded and the device is done (ns).
constexpr int64_t kLongestAfter = 100'000;

/// A call that takes so long that it may have waited for another.
struct LongCall {
  SliceIndex call = kNone;
  bool loads = false;
};

}  // namespace

std::vector<LoadWait> load_waits(const Timeline& timeline, DeviceBusyTime& busy_time) {
  const Slices& slices = timeline.slices;
  AskedNames is_load(timeline, [&](SliceIndex call) {
    return cause_named_by(timeline.kind(call), timeline.name(call)) == IdleCause::module_load;
  });
  std::map<std::string_view, std::vector<LongCall>> processes;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_call(timeline.kind(slice)) || slices.duration[slice] < kShortestLoadWait || !is_plausible(timeline, slice))
      continue;
    processes[timeline.tracks[slices.track[slice]].process].push_back({slice, is_load(slice)});
  }
  std::vector<LoadWait> waits;
  for (auto& [process, calls] : processes) {
    std::vector<SliceIndex> loads;
    int64_t longest = 0;
    for (const LongCall& one : calls) {
      if (!one.loads) continue;
      loads.push_back(one.call);
      longest = std::max(longest, slices.duration[one.call]);
    }
    if (loads.empty()) continue;
    const IntervalSet& busy = busy_time.get();
    std::stable_sort(loads.begin(), loads.end(),
                     [&](SliceIndex a, SliceIndex b) { return slices.start[a] < slices.start[b]; });
    for (const LongCall& one : calls) {
      if (one.loads) continue;
      const Interval call{slices.start[one.call], slices.end(one.call)};
      auto load = std::partition_point(loads.begin(), loads.end(),
                                       [&](SliceIndex each) { return slices.start[each] < call.begin - longest; });
      for (; load != loads.end() && slices.start[*load] < call.end; ++load) {
        const int64_t loaded = slices.end(*load);
        if (slices.track[*load] == slices.track[one.call] || loaded <= call.begin || loaded > call.end) continue;
        const int64_t after = call.end - loaded - busy.clip(loaded, call.end).length();
        if (after > kLongestAfter) continue;
        const Interval behind{std::max(call.begin, slices.start[*load]), loaded};
        const IntervalSet idle = IntervalSet({behind}).subtract(busy.clip(behind.begin, behind.end));
        if (idle.length() < kShortestLoadWait) continue;
        for (const Interval& time : idle.intervals()) waits.push_back({one.call, time});
      }
    }
  }
  return waits;
}

}  // namespace cgpu
