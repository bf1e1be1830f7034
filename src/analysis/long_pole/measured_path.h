// The critical path of a session as it was measured, part by part.
//
// It costs the graph of dependencies, where nobody has asked for that yet, and O(edges log n) more (change.h).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/long_pole/change.h"
#include "analysis/long_pole/periods.h"
#include "analysis/long_pole/replayed_periods.h"

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
  const ChangedGraph unchanged(whole, {});
  const std::vector<ReplayedPeriod> same = ReplayedPeriods(whole, periods).at(unchanged.replayed().times);
  std::vector<Part> backwards;
  for (size_t i = 0; i < periods.size(); ++i) {
    backwards.clear();
    unchanged.for_each_part_of_path(same[i], [&](const EdgePart& part, EdgeKind kind, int64_t from, int64_t to) {
      backwards.push_back({part, kind, from, to});
    });
    for (auto part = backwards.rbegin(); part != backwards.rend(); ++part) {
      visit(periods[i], part->part, part->kind, part->from, part->to);
    }
  }
}

}  // namespace cgpu
