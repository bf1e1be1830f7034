#include "analysis/findings/device_books.h"

#include <algorithm>

#include "analysis/device/device_time.h"
#include "analysis/session_clock.h"

namespace cgpu {

DeviceBooks::DeviceBooks(const SessionFacts& facts, const std::vector<Period>& periods)
    : hosts_communicate_(!facts.whole().collectives_of_hosts().empty()) {
  for (const Period& period : periods) periods_.push_back({.length = period.end - period.begin});
  const DependencyGraph& graph = facts.whole().dependencies();
  const bool together = has_common_clock(facts.whole().session());
  for (size_t number = 0; number < facts.session().runs.size(); ++number) {
    const Run& run = facts.run(number);
    const size_t in_whole = facts.place_in_whole(number);
    const int64_t zero = graph.zero(in_whole);
    for (const auto& [device, ops] : ops_by_device(run.timeline)) {
      const DeviceTime time = device_time(run.timeline, ops);
      for (size_t i = 0; i < periods.size(); ++i) {
        if (!together && periods[i].run != in_whole) continue;
        const auto within = [&](const IntervalSet& set) {
          return set.clip(periods[i].begin + zero, periods[i].end + zero).length();
        };
        periods_[i].devices.push_back(
            {in_whole, within(time.compute), within(time.exposed_communication), within(time.exposed_memory)});
      }
    }
  }
}

int64_t DeviceBooks::most_recoverable(const EdgeTimes::Scenario& scenario) const {
  const bool changes_ops = scenario.op_factor || scenario.removed[BoundBy(BoundBy::compute).number()];
  const auto removes = [&](BoundBy kind) { return scenario.removed[kind.number()]; };
  // A wait of ranks for each other is part of their communication.
  const bool frees_waiting = !scenario.not_awaited.empty() || removes(IdleCause::other_rank);
  BoundKinds of_host = scenario.removed;
  for (const BoundBy::Work work : {BoundBy::compute, BoundBy::communication, BoundBy::memory, BoundBy::kernel_gap}) {
    of_host.reset(BoundBy(work).number());
  }
  of_host.reset(BoundBy(IdleCause::blocking_copy).number());
  const bool frees_idle = scenario.without_gap || removes(BoundBy::kernel_gap) || removes(IdleCause::blocking_copy);
  // Communication of devices alone leaves their idle time.
  const bool frees_communication = removes(BoundBy::communication) && !frees_waiting && !hosts_communicate_ &&
                                   !changes_ops && !frees_idle && !removes(BoundBy::memory) && of_host.none();
  int64_t most = 0;
  for (const OfPeriod& period : periods_) {
    int64_t remains = 0;
    int64_t exposed = 0;
    for (const OfDevice& device : period.devices) {
      exposed = std::max(exposed, device.exposed_communication);
      if (changes_ops || scenario.not_awaited.contains(device.run)) continue;
      int64_t of_device = device.compute;
      if (!removes(BoundBy::communication) && !frees_waiting && of_host.none()) {
        of_device += device.exposed_communication;
      }
      if (!removes(BoundBy::memory) && of_host.none()) of_device += device.exposed_copies;
      remains = std::max(remains, of_device);
    }
    most += frees_communication ? exposed : std::max<int64_t>(period.length - remains, 0);
  }
  return most;
}

}  // namespace cgpu
