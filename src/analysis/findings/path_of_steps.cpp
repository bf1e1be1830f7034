#include "analysis/findings/path_of_steps.h"

#include "analysis/critical_path/measured_path.h"

namespace cgpu {

std::vector<PathKinds> path_of_steps(const SessionFacts& facts, const std::vector<Period>& steps) {
  std::vector<PathKinds> kinds(steps.size(), PathKinds{});
  for_each_part_of_measured_path(
      facts.whole(), steps, [&](const Period& step, const EdgePart& part, EdgeKind, int64_t from, int64_t to) {
        kinds[static_cast<size_t>(&step - steps.data())][part.bound_by.number()] += to - from;
      });
  return kinds;
}

}  // namespace cgpu
