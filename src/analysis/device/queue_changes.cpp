#include "analysis/device/queue_changes.h"

#include <algorithm>

namespace cgpu {

std::map<StreamId, std::vector<QueueChange>> queue_changes(const SessionFacts& facts, size_t run) {
  const Timeline& timeline = facts.run(run).timeline;
  const DeviceOps& ops = timeline.device_ops;
  std::map<StreamId, std::vector<QueueChange>> of_streams;
  for (const LaunchingCall& launch : facts.launching_calls(run)) {
    std::vector<QueueChange>& changes = of_streams[{ops.device[launch.first_op], ops.stream[launch.first_op]}];
    changes.emplace_back(timeline.slices.start[launch.call], true);
    changes.emplace_back(timeline.slices.start[ops.slice[launch.first_op]], false);
  }
  for (auto& [stream, changes] : of_streams) {
    std::sort(changes.begin(), changes.end(), [](const QueueChange& a, const QueueChange& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
  }
  return of_streams;
}

}  // namespace cgpu
