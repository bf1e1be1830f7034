// Replays a dependency graph with other weights: the times of its moments, and the edge that bounds each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dependencies/graph.h"

namespace cgpu {

/// The weight of an edge that is taken out of the graph.
inline constexpr int64_t kNoEdge = INT64_MIN;

/// The weights of the edges as they are.
std::vector<int64_t> weights_of(const DependencyGraph& graph);

/// Times of the moments, and by which edge each was bound.
struct Replay {
  std::vector<int64_t> times;      // ns after the start, by moment
  std::vector<uint32_t> bound_by;  // edge, by moment; of a moment without edges: none (kNone)
};

/// Every moment comes as early as its edges allow: the longest path from the start to it. O(moments + edges). With the
/// graph's own weights the times are the measured ones.
Replay replay(const DependencyGraph& graph, std::span<const int64_t> weights);

/// The same as with the graph's own weights, without computing anything.
Replay as_measured(const DependencyGraph& graph);

/// The times alone, where `weight(edge, to)` gives the weights and `earliest(to)` a time, of 0 or more, before which a
/// moment does not come; both are asked in the order of the moments, and of their edges.
template <typename Weight, typename Earliest>
std::vector<int64_t> replayed_times(const DependencyGraph& graph, Weight weight, Earliest earliest) {
  std::vector<int64_t> times(graph.moments().size());
  for (MomentIndex to = 0; to < times.size(); ++to) {
    times[to] = earliest(to);
    for (uint32_t edge = graph.first_edge(to); edge < graph.end_edge(to); ++edge) {
      const int64_t length = weight(edge, to);
      if (length != kNoEdge) times[to] = std::max(times[to], times[graph.edges().from[edge]] + length);
    }
  }
  return times;
}

/// By moment: how much later it could come so that none comes after its `latest` (by moment, no earlier than its time),
/// if everything else takes as long as it did: the total float of the critical path method. O(moments + edges).
std::vector<int64_t> slacks(const DependencyGraph& graph, std::vector<int64_t> latest);

/// Calls visit(edge, to, from_time, to_time) for the edges that lead to a moment and bound it, backwards from the
/// moment until `begin`, where the last one is cut. The parts add up to the time of the moment minus `begin`.
void walk_critical_path(
    const DependencyGraph& graph, const Replay& replay, MomentIndex last, int64_t begin,
    const std::function<void(uint32_t edge, MomentIndex to, int64_t from_time, int64_t to_time)>& visit);

}  // namespace cgpu
