// A critical path, split into the parts that its dependencies are made of (edge_parts.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/critical_path/edge_parts.h"
#include "dependencies/replay.h"

namespace cgpu {

/// Calls visit(part, kind of the edge, from, to) for the parts of the critical path that leads to the moment `last` of
/// a replay, backwards until `begin`, where the last one is cut; the times are those of the replay. `parts_of(edge, to,
/// visit)` visits the parts of an edge, as long as they are in that replay.
template <typename PartsOf, typename Visit>
void for_each_part_of_path(const DependencyGraph& graph, const Replay& replay, MomentIndex last, int64_t begin,
                           PartsOf parts_of, Visit visit) {
  std::vector<EdgePart> parts;
  walk_critical_path(graph, replay, last, begin,
                     [&](uint32_t edge, MomentIndex to, int64_t from_time, int64_t to_time) {
                       parts.clear();
                       parts_of(edge, to, [&](const EdgePart& part) { parts.push_back(part); });
                       int64_t now = to_time;  // of an edge that is cut at the begin, the end is left
                       for (auto part = parts.rbegin(); part != parts.rend() && now > from_time; ++part) {
                         const int64_t from = std::max(now - part->length, from_time);
                         visit(*part, graph.edges()[edge].kind, from, now);
                         now = from;
                       }
                     });
}

}  // namespace cgpu
