#include "analysis/device/device_time.h"

#include <array>

namespace cgpu {

DeviceTime device_time(const Timeline& timeline, const std::vector<OpIndex>& ops) {
  std::array<std::vector<OpIndex>, 3> of_kind;
  for (const OpIndex op : ops) of_kind[static_cast<size_t>(timeline.device_ops.kind[op])].push_back(op);
  const auto time_of = [&](OpKind kind) { return busy_time(timeline, of_kind[static_cast<size_t>(kind)]); };
  DeviceTime time;
  time.span = span_of(timeline, ops);
  time.compute = time_of(OpKind::compute);
  time.communication = time_of(OpKind::communication);
  time.memory = time_of(OpKind::memory);
  const IntervalSet compute_or_communication = time.compute.unite(time.communication);
  time.busy = compute_or_communication.unite(time.memory);
  time.exposed_communication = time.communication.subtract(time.compute);
  time.exposed_memory = time.memory.subtract(compute_or_communication);
  return time;
}

}  // namespace cgpu
