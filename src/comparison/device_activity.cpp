#include "comparison/device_activity.h"

#include <utility>
#include <vector>

#include "analysis/device/device_time.h"
#include "comparison/comparison.h"

namespace cgpu {

DeviceActivity device_activity(const Comparison& comparison, Side side) {
  DeviceActivity work;
  const SessionFacts& facts = comparison.facts(side);
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    std::vector<Interval> windows;
    for (const Iteration& iteration : comparison.time(side, run).iterations) windows.push_back(iteration.time);
    const IntervalSet compared(std::move(windows));
    for (const auto& [device, ops] : ops_by_device(facts.run(run).timeline)) {
      const DeviceTime time = device_time(facts.run(run).timeline, ops);
      work.busy += time.busy.intersect(compared).length();
      work.compute += time.compute.intersect(compared).length();
      work.communication += time.communication.intersect(compared).length();
      work.exposed_communication += time.exposed_communication.intersect(compared).length();
      work.exposed_memory += time.exposed_memory.intersect(compared).length();
    }
  }
  work.idle = comparison.totals(side).time - work.busy;
  return work;
}

}  // namespace cgpu
