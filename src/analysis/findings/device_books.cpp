#include "analysis/findings/device_books.h"

#include <algorithm>

#include "analysis/device/device_time.h"
#include "analysis/session_clock.h"

namespace cgpu {

DeviceBooks::DeviceBooks(const SessionFacts& facts, const std::vector<Period>& periods) {
  for (const Period& period : periods) periods_.push_back({.length = period.end - period.begin});
  const DependencyGraph& graph = facts.whole().dependencies();
  const bool together = has_common_clock(facts.whole().session());
  for (size_t number = 0; number < facts.session().runs.size(); ++number) {
    const Run& run = facts.run(number);
    const size_t in_whole = run.part_of ? run.part_of->run : number;
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
  const bool frees_waiting = scenario.not_awaited.has_value() || removes(IdleCause::other_rank);
  BoundKinds of_host = scenario.removed;
  for (const BoundBy::Work work : {BoundBy::compute, BoundBy::communication, BoundBy::memory, BoundBy::kernel_gap}) {
    of_host.reset(BoundBy(work).number());
  }
  of_host.reset(BoundBy(IdleCause::blocking_copy).number());
  int64_t most = 0;
  for (const OfPeriod& period : periods_) {
    int64_t remains = 0;
    for (const OfDevice& device : period.devices) {
      if (changes_ops || scenario.not_awaited == device.run) continue;
      int64_t of_device = device.compute;
      if (!removes(BoundBy::communication) && !frees_waiting && of_host.none()) {
        of_device += device.exposed_communication;
      }
      if (!removes(BoundBy::memory) && of_host.none()) of_device += device.exposed_copies;
      remains = std::max(remains, of_device);
    }
    most += std::max<int64_t>(period.length - remains, 0);
  }
  return most;
}

int64_t DeviceBooks::idle() const {
  int64_t idle = 0;
  for (const OfPeriod& period : periods_) {
    int64_t busy = 0;
    for (const OfDevice& device : period.devices) {
      busy = std::max(busy, device.compute + device.exposed_communication + device.exposed_copies);
    }
    idle += std::max<int64_t>(period.length - busy, 0);
  }
  return idle;
}

}  // namespace cgpu
