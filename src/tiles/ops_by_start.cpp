#include "tiles/ops_by_start.h"

#include <utility>

#include "base/sort_runs.h"

namespace cgpu {

std::map<int32_t, std::vector<OpIndex>> ops_by_start(const Timeline& timeline) {
  std::map<int32_t, std::vector<OpIndex>> by_device;
  for (auto& [stream, ops] : ops_by_stream(timeline)) {
    std::vector<OpIndex>& of_device = by_device[stream.device];
    if (of_device.empty()) {
      of_device = std::move(ops);
    } else {
      of_device.insert(of_device.end(), ops.begin(), ops.end());
    }
  }
  const auto start_of = [&](OpIndex op) { return timeline.slices.start[timeline.device_ops.slice[op]]; };
  for (auto& [device, ops] : by_device) {
    sort_runs(ops, [&](OpIndex a, OpIndex b) {
      const int64_t start_a = start_of(a);
      const int64_t start_b = start_of(b);
      return start_a != start_b ? start_a < start_b : a < b;
    });
  }
  return by_device;
}

}  // namespace cgpu
