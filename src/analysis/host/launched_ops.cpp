#include "analysis/host/launched_ops.h"

#include <algorithm>
#include <tuple>

namespace cgpu {

LaunchedOps::LaunchedOps(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  for (const SliceIndex op : timeline.device_ops.slice) {
    if (slices.launch[op] != kNone) by_call_.emplace_back(slices.launch[op], op);
  }
  std::sort(by_call_.begin(), by_call_.end(), [&](const auto& a, const auto& b) {
    return std::tuple(a.first, slices.start[a.second], a.second) <
           std::tuple(b.first, slices.start[b.second], b.second);
  });
}

std::vector<SliceIndex> LaunchedOps::of(SliceIndex call) const {
  std::vector<SliceIndex> ops;
  auto at =
      std::partition_point(by_call_.begin(), by_call_.end(), [&](const auto& entry) { return entry.first < call; });
  for (; at != by_call_.end() && at->first == call; ++at) ops.push_back(at->second);
  return ops;
}

}  // namespace cgpu
