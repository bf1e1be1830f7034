// The critical path of a session as it was measured, part by part.
//
// Costs the construction of the dependency graph, unless that exists already, O(moments), and O(log n) for each edge on
// the path.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/critical_path/edge_parts.h"
#include "analysis/critical_path/path_parts.h"
#include "analysis/critical_path/periods.h"
#include "dependencies/replay.h"

namespace cgpu {

/// Calls visit(period, part, kind of the dependency, from, to) for the parts of the critical path through each of
/// `periods`, in order of time: each part begins where the one before it ends. Times are ns after the start of the
/// graph of `whole`, which is no part of a session.
template <typename Visit>
void for_each_part_of_measured_path(const SessionFacts& whole, const std::vector<Period>& periods, Visit visit) {
  struct Part {
    EdgePart part;
    EdgeKind kind;
    int64_t from;
    int64_t to;
  };
  const DependencyGraph& graph = whole.dependencies();
  const Replay measured = as_measured(graph);
  EdgeParts parts(whole);
  const auto parts_of = [&](uint32_t edge, MomentIndex to, const auto& each) { parts.for_each(edge, to, each); };
  std::vector<Part> backwards;
  for (const Period& period : periods) {
    backwards.clear();
    for_each_part_of_path(graph, measured, period.last, period.begin, parts_of,
                          [&](const EdgePart& part, EdgeKind kind, int64_t from, int64_t to) {
                            backwards.push_back({part, kind, from, to});
                          });
    for (auto part = backwards.rbegin(); part != backwards.rend(); ++part) {
      visit(period, part->part, part->kind, part->from, part->to);
    }
  }
}

}  // namespace cgpu
