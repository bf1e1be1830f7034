// Which stage of a pipeline each rank holds: by the groups that the profiles describe, else by who passes work to whom.
//
// Of a group that is described as a pipeline (parallel_groups.h) the place of a rank among its members is its stage.
// Where no profile describes one, ranks are a pipeline if they form a chain of three or more: each but the first and
// the last exchanges with exactly two others and begins by receiving from the one before it, as the forward pass does.
// In a ring (ring attention, interleaved stages, whose last one sends to the first) nobody is the first one, and the
// roles of two ranks that exchange cannot be determined: neither is a pipeline here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// The ranks that a rank exchanges data with by sends and receives on its devices.
struct PassedWork {
  std::vector<int32_t> partners;  // ranks, sorted; no more than three, as more are no chain either
  /// Partners of its first op, that it receives from and sends to; -1 where it does not.
  int32_t first_from = -1;
  int32_t first_to = -1;

  template <typename Archive>
  void members(Archive& archive) {
    archive(partners, first_from, first_to);
  }
};

/// Of a run whose timeline is open; `since`: ops that begin earlier, on the run's clock, are not the first one. O(n) in
/// its collectives.
PassedWork passed_work(const Run& run, int64_t since);

/// The stage of each run, from 0; absent for one that is in no pipeline. `passed`: by run. O(n log n) in the runs.
std::vector<std::optional<int64_t>> pipeline_stages(const Session& session, std::span<const PassedWork> passed);
/// Of runs whose timelines are all open.
std::vector<std::optional<int64_t>> pipeline_stages(const Session& session);

}  // namespace cgpu
