#include "dependencies/replay.h"

#include <algorithm>

namespace cgpu {

std::vector<int64_t> weights_of(const DependencyGraph& graph) {
  return graph.edges().weight;
}

Replay replay(const DependencyGraph& graph, std::span<const int64_t> weights) {
  const Dependencies& edges = graph.edges();
  const size_t count = graph.moments().size();
  Replay result{std::vector<int64_t>(count, 0), std::vector<uint32_t>(count, kNone)};
  for (MomentIndex to = 0; to < count; ++to) {
    int64_t latest = 0;  // nothing comes before the start
    uint32_t bound_by = kNone;
    for (uint32_t edge = graph.first_edge(to); edge < graph.end_edge(to); ++edge) {
      if (weights[edge] == kNoEdge) continue;
      const int64_t time = result.times[edges.from[edge]] + weights[edge];
      if (bound_by == kNone || time > latest || (time == latest && edges.kind[edge] < edges.kind[bound_by])) {
        latest = time;
        bound_by = edge;
      }
    }
    result.times[to] = std::max<int64_t>(latest, 0);
    result.bound_by[to] = bound_by;
  }
  return result;
}

Replay as_measured(const DependencyGraph& graph) {
  Replay result;
  result.times.reserve(graph.moments().size());
  result.bound_by.reserve(graph.moments().size());
  for (MomentIndex at = 0; at < graph.moments().size(); ++at) {
    result.times.push_back(graph.moments()[at].time);
    result.bound_by.push_back(graph.first_edge(at) == graph.end_edge(at) ? kNone : graph.moments()[at].bound_by);
  }
  return result;
}

std::vector<int64_t> slacks(const DependencyGraph& graph, std::vector<int64_t> latest) {
  const Dependencies& edges = graph.edges();
  for (size_t to = latest.size(); to-- > 0;) {  // edges lead from lower to higher numbers
    const auto moment = static_cast<MomentIndex>(to);
    for (uint32_t edge = graph.first_edge(moment); edge < graph.end_edge(moment); ++edge) {
      int64_t& before = latest[edges.from[edge]];
      before = std::min(before, latest[to] - edges.weight[edge]);
    }
  }
  for (size_t moment = 0; moment < latest.size(); ++moment) latest[moment] -= graph.moments()[moment].time;
  return latest;
}

void walk_critical_path(const DependencyGraph& graph, const Replay& replay, MomentIndex last, int64_t begin,
                        const std::function<void(uint32_t, MomentIndex, int64_t, int64_t)>& visit) {
  for (MomentIndex to = last; replay.times[to] > begin && replay.bound_by[to] != kNone;) {
    const uint32_t edge = replay.bound_by[to];
    const MomentIndex from = graph.edges().from[edge];
    visit(edge, to, std::max(replay.times[from], begin), replay.times[to]);
    to = from;
  }
}

}  // namespace cgpu
