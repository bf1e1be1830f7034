// Groups of ranks whose collectives move data more slowly, once all have come, than the same collectives of other
// groups.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/findings/thresholds.h"
#include "analysis/session_facts.h"

namespace cgpu {

/// The slow transfers of one group.
struct SlowGroup {
  std::string what;    // "allreduce of ranks 2, 3"
  int64_t excess = 0;  // ns
  int64_t count = 0;
  double rate = 0;   // the median, GB/s
  double other = 0;  // what it could be
};

struct SlowLinks {
  std::vector<SlowGroup> groups;
  int64_t excess = 0;                                           // ns, over the groups
  std::vector<int64_t> excess_of_run;                           // ns, of the groups that a run is in
  std::vector<std::unordered_map<SliceIndex, double>> factors;  // by run: of its ops that could take less
};

/// Of a whole session of several ranks. Each group is held against the usual rate of the fastest one of its kind
/// (Thresholds::slow_link). Within a group slow transfers say nothing: what runs beside one slows it down too.
/// O(collective ops log collective ops).
SlowLinks find_slow_links(const SessionFacts& whole, const Thresholds& thresholds);

}  // namespace cgpu
