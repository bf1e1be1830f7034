#include "analysis/idle/stopped_ops.h"

#include <algorithm>
#include <map>

#include "analysis/host/launch_calls.h"
#include "analysis/idle/usual_durations.h"
#include "kernels/communication_names.h"

namespace cgpu {

namespace {

/// What stands still for less is not looked at.
constexpr int64_t kShortestStillness = 500'000;

/// Those that launch, or in which something does.
void erase_without_launch(const Timeline& timeline, std::vector<SliceIndex>& found) {
  const Slices& slices = timeline.slices;
  std::vector<bool> launches(found.size());
  for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
    const SliceIndex call = launch_of(timeline, slice);
    if (call == kNone) return;
    for (SliceIndex above = slices.parent[call]; above != kNone; above = slices.parent[above]) {
      const auto at = std::lower_bound(found.begin(), found.end(), above);
      if (at != found.end() && *at == above) launches[static_cast<size_t>(at - found.begin())] = true;
    }
  });
  size_t number = 0;
  std::erase_if(found, [&](SliceIndex) { return !launches[number++]; });
}

}  // namespace

std::vector<StoppedOp> stopped_ops(const Timeline& timeline, const std::vector<SliceIndex>& ops) {
  const Slices& slices = timeline.slices;
  std::vector<SliceIndex> long_ones;
  for (const SliceIndex op : ops) {
    if (slices.duration[op] < kShortestStillness) continue;
    if (!communicates(timeline.name(op))) long_ones.push_back(op);  // else it may wait for another rank
  }
  if (long_ones.empty()) return {};
  const auto usual = usual_durations(timeline, ops, long_ones);
  const auto least_of = [&](SliceIndex op) {
    return std::max(kShortestStillness, usual.at(slices.name[op]).not_running());
  };
  std::vector<SliceIndex> candidates;
  std::copy_if(long_ones.begin(), long_ones.end(), std::back_inserter(candidates),
               [&](SliceIndex op) { return slices.duration[op] >= least_of(op); });
  if (!candidates.empty()) erase_first_of_names(timeline, ops, candidates);
  if (!candidates.empty()) erase_without_launch(timeline, candidates);
  if (candidates.empty()) return {};

  std::map<SliceIndex, std::vector<Interval>> inside;  // by candidate
  for (const SliceIndex op : candidates) inside[op];
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (slices.parent[slice] == kNone) continue;
    const auto at = inside.find(slices.parent[slice]);
    if (at != inside.end()) at->second.push_back({slices.start[slice], slices.end(slice)});
  }
  std::vector<StoppedOp> found;
  for (auto& [op, parts] : inside) {
    const int64_t end = slices.end(op);
    parts.push_back({end, end});
    std::sort(parts.begin(), parts.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    int64_t now = slices.start[op];
    for (const Interval& part : parts) {
      if (part.begin - now >= least_of(op)) found.push_back({op, {now, part.begin}});
      now = std::max(now, part.end);
    }
  }
  return found;
}

}  // namespace cgpu
