// What the devices did in the time that a diagnosis judges, and so the most that a what-if scenario can save
// there.
//
// A scenario takes time away from the host, from communication, from copies. Whatever it says, what a device computed
// in that time still has to be computed, and what it communicated or copied too, unless the scenario takes that away or
// what it takes away may have lengthened it. Copies that are hidden beside other work still take their time, those of
// one direction one after another. So periods last together at least as long as the device that is left with the most:
// together, since a device that does not wait for another rank any longer does work of one period in another.
// O(periods log ops) besides the times of each device (device_time.h).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/critical_path/edge_times.h"
#include "analysis/critical_path/periods.h"
#include "analysis/session_facts.h"
#include "model/run.h"

namespace cgpu {

class DeviceBooks {
 public:
  /// Of periods of the graph of the whole session, for the devices of `facts`, which may be those of a part.
  /// `small_copy`: bytes, below which a copy is mostly overhead. `filled_shares`: those of a run (filled_time.h); asked
  /// for runs that have a device with kernels on several streams.
  DeviceBooks(const SessionFacts& facts, const std::vector<Period>& periods, double small_copy,
              const std::function<const std::vector<float>&(const Run&)>& filled_shares);

  /// ns of all periods; no more than they last. All of that for a scenario that changes device ops.
  int64_t most_recoverable(const EdgeTimes::Scenario& scenario) const;
  /// ns in which a device communicates and does not compute, of all periods; of each that of the device with the most.
  int64_t exposed_communication() const;
  /// ns in which the devices compute or communicate, of all periods; of each that of the device with the most.
  int64_t other_work_than_copies() const;

 private:
  /// ns in one period, which add up to it with the time in which the device idles.
  struct OfDevice {
    size_t run = 0;  // of the whole session
    int32_t device = 0;
    /// Kernels of several streams whose blocks leave room for each other count together as long as they need if they
    /// fill the device, or as the stream with the most.
    int64_t compute = 0;
    /// Idle time for nothing that the host does: of a run with one device, before ops that had been launched long
    /// before, or whose launch is not known.
    int64_t unexplained = 0;
    int64_t exposed_communication = 0;
    int64_t exposed_copies = 0;
    /// Of the direction between host and device that has most: as they are, and as the best copies would take.
    int64_t copies = 0;
    int64_t best_copies = 0;
  };
  struct OfPeriod {
    int64_t length = 0;
    std::vector<OfDevice> devices = {};
  };
  /// Over all periods, of each the device with the most: time(device) in ns.
  template <typename Time>
  int64_t sum_of_most(Time time) const;

  std::vector<OfPeriod> periods_;
  size_t runs_ = 0;                 // of the whole session
  bool together_ = false;           // whether the periods are of all runs
  bool hosts_communicate_ = false;  // in collectives or messages
};

}  // namespace cgpu
