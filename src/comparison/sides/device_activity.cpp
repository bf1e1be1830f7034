#include "comparison/sides/device_activity.h"

#include <utility>
#include <vector>

#include "analysis/device/device_time.h"
#include "comparison/comparison.h"
#include "links/graph_captures.h"

namespace cgpu {

namespace {

void add_calls_and_copies(const Comparison& comparison, Side side, size_t run, DeviceActivity& work) {
  const SessionFacts& facts = comparison.facts(side);
  const std::vector<uint32_t>& nodes = comparison.nodes_of_ops(side, run);
  if (comparison.host(side) == nullptr) {
    for (const LaunchingCall& launch : facts.launching_calls(run)) {
      if (nodes[launch.first_op] == kNone) continue;
      ++work.launches;
      if (replays_graph(facts.run(run).timeline.name(launch.call))) ++work.graph_launches;
    }
  }
  const Timeline& timeline = facts.run(run).timeline;
  std::vector<bool> is_captured(nodes.size());
  for (const CapturedWork& captured : facts.run(run).captured) {
    for (const CapturedOp& one : captured.ops) is_captured[one.op] = true;
  }
  for (OpIndex op = 0; op < nodes.size(); ++op) {
    const SliceIndex call = launch_of(timeline, timeline.device_ops.slice[op]);
    if (nodes[op] != kNone && call != kNone && !is_captured[op] && replays_graph(timeline.name(call))) {
      work.replayed += timeline.slices.duration[timeline.device_ops.slice[op]];
    }
    const bool copies = timeline.kind(timeline.device_ops.slice[op]) == SliceKind::memcpy;
    if (nodes[op] == kNone || !copies || timeline.device_ops.bytes[op] < 0) continue;
    work.copied_bytes = work.copied_bytes.value_or(0) + timeline.device_ops.bytes[op];
  }
}

}  // namespace

DeviceActivity device_activity(const Comparison& comparison, Side side) {
  DeviceActivity work;
  const SessionFacts& facts = comparison.facts(side);
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    add_calls_and_copies(comparison, side, run, work);
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
