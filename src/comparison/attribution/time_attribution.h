// Attributes every nanosecond of device time to one owner: where device ops run to these, in equal shares where several
// run; but communication and copies own nothing while compute runs, nor copies beside communication, so that they own
// what table `gpu_time` calls exposed. Elsewhere to the cause and the culprit of the idle gap
// (docs/definitions/idle.md, "idle"). So the change of a time is exactly the sum of the changes of its owners.
//
// O(n log n) in the device ops, and what idle gaps with culprits cost.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "comparison/alignment/labels.h"
#include "comparison/sides/compared_time.h"

namespace cgpu {

/// A part of the time of one device that has one owner.
struct AttributedTime {
  uint32_t iteration = 0;
  int64_t time = 0;             // ns
  int64_t begin = 0;            // where it lies, on the run's clock
  OpIndex op = kNone;           // the device op; kNone where nothing ran:
  bool waiting = false;         // of a collective, before the last of the other ranks had begun it
  std::string_view cause = {};  // of idle time: as in `idle`, or kEdge
  Label culprit = 0;            // as in `idle_hosts`; 0 for none
};

/// Before the first or after the last op of a device, where the thread that launched that op is not known.
inline constexpr std::string_view kEdge = "before_or_after";

/// When collectives of a run stopped waiting for other ranks, by slice, on the run's clock.
using EndsOfWaits = std::unordered_map<SliceIndex, int64_t>;
/// By run; empty where the clocks of the ranks cannot be compared.
std::vector<EndsOfWaits> ends_of_waits(const SessionFacts& facts);
/// How much of a device op, or of a part of one, was such waiting, ns.
int64_t waiting_of(const EndsOfWaits& ends, SliceIndex slice, Interval time);

/// Calls visit(piece) for all of the time of every device of a run in these iterations. The parts of a device add up to
/// the lengths of the iterations.
void for_each_attributed_time(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations,
                              const EndsOfWaits& ends_of_waits, Labels& labels,
                              const std::function<void(const AttributedTime&)>& visit);

}  // namespace cgpu
