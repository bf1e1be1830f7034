// Groups of ranks whose collectives move data more slowly, once all have come, than the same collectives of other
// groups.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/session_facts.h"

namespace cgpu {

struct SlowLinkLimits {
  /// A transfer of the same collective that is slower by this factor than elsewhere is not noise: equal links differ by
  /// 10 % or so, a wrong path (PCIe in the place of NVLink, a network in the place of either) by five and more.
  double factor = 2;
  /// Bytes below which a collective takes its latency, whatever the link: 1 MiB at 50 GB/s takes 21 us, as long as it.
  double large_message = 1024.0 * 1024;
};

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
/// (SlowLinkLimits::factor). Within a group slow transfers say nothing: what runs beside one slows it down too.
/// O(collective ops log collective ops).
SlowLinks find_slow_links(const SessionFacts& whole, const SlowLinkLimits& limits = {});

}  // namespace cgpu
