#include "dependencies/graph.h"

#include <algorithm>
#include <array>

#include "dependencies/graph_builder.h"

namespace cgpu {

const char* text_of(EdgeKind kind) {
  static constexpr std::array<const char*, 13> texts{"work",    "arrival",  "collective", "copy_wait", "wait",
                                                     "release", "event",    "succession", "stream",    "launch",
                                                     "host",    "handover", "start"};
  return texts[static_cast<size_t>(kind)];
}

DependencyGraph::DependencyGraph(std::span<const RunForGraph> runs, const CollectivesForGraph& collectives,
                                 bool common_clock) {
  GraphBuilder(*this).build(runs, collectives, common_clock);
}

MomentIndex DependencyGraph::last_until(int64_t time) const {
  const auto all = moments();
  const auto after =
      std::partition_point(all.begin(), all.end(), [&](const Moment& moment) { return moment.time <= time; });
  return after == all.begin() ? 0 : static_cast<MomentIndex>(after - all.begin() - 1);
}

bool DependencyGraph::ends_collective(MomentIndex moment) const {
  const auto kinds = edges_.kind.begin();
  const auto end = kinds + end_edge(moment);
  return std::find(kinds + first_edge(moment), end, EdgeKind::collective) != end;
}

}  // namespace cgpu
