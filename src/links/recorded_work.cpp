#include "links/recorded_work.h"

#include <algorithm>

#include "links/graph_captures.h"
#include "model/unknown_utilization.h"

namespace cgpu {

bool has_calls(const Timeline& timeline) {
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (is_call(timeline.kind(slice))) return true;
  }
  return false;
}

bool records_only_collectives(const Timeline& timeline) {
  const auto is_communication = [](const OpKind kind) { return kind == OpKind::communication; };
  if (timeline.device_ops.kind.empty() || !std::ranges::all_of(timeline.device_ops.kind, is_communication))
    return false;
  return !has_calls(timeline);
}

void note_unrecorded_work(Run& run) {
  const ReplayCounts replays = count_replays(run.timeline);
  run.notes.add("unrecorded_replays", replays.unrecorded,
                "launches of graphs show no device ops: the devices were busier than it seems; record the nodes of "
                "graphs (Nsight Systems: --cuda-graph-trace=node), or without graphs");
  if (lacks_replays(replays)) {
    run.notes.add(kUnknownUtilization, 1, "the kernels of graphs were not recorded");
  } else if (records_only_collectives(run.timeline)) {
    run.notes.add(kUnknownUtilization, 1, "only collectives were recorded");
  }
}

}  // namespace cgpu
