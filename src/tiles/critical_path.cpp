#include "tiles/critical_path.h"

#include "analysis/critical_path/measured_path.h"

namespace cgpu {

std::vector<DerivedSlices> critical_path_slices(const SessionFacts& facts) {
  std::vector<DerivedSlices> of_runs(facts.session().runs.size());
  const DependencyGraph& graph = facts.dependencies();
  for_each_part_of_measured_path(
      facts, periods_of_session(facts), [&](const Period&, const EdgePart& part, EdgeKind, int64_t from, int64_t to) {
        if (from == to) return;
        DerivedSlices& slices = of_runs[part.run];
        const int64_t zero = graph.zero(part.run);
        const auto name = static_cast<uint32_t>(part.bound_by.number());
        const bool goes_on = slices.size() > 0 && slices.start.back() + slices.duration.back() == from + zero &&
                             slices.name.back() == name && slices.origin.back() == part.slice;
        if (goes_on) {
          slices.duration.back() += to - from;
        } else {
          slices.add({from + zero, to + zero}, name, part.slice);
        }
      });
  return of_runs;
}

}  // namespace cgpu
