// Who began collectives last, and what the others waited for that (docs/definitions/collectives.md, "stragglers").
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "links/collective_series.h"
#include "model/run.h"

namespace cgpu {

/// Sums over the collectives that a member shared with others.
struct Lateness {
  int64_t count = 0;
  int64_t last = 0;       // of these, those that it was the last to begin
  int64_t wait_ns = 0;    // until the last one had begun
  int64_t caused_ns = 0;  // what all members waited in those that it began last
};

/// Index of the run and device (-1: the host).
using MemberKey = std::pair<uint32_t, int32_t>;

/// Of the members of these series, as if those in `without` did not take part; series that do not count (where `counts`
/// is given) are left out. Of none unless the clocks of the runs can be compared (session_clock.h).
/// O(parts log members).
std::map<MemberKey, Lateness> lateness_of_members(const Session& session, std::span<const CollectiveSeries> collectives,
                                                  const std::function<bool(const CollectiveSeries&)>& counts = nullptr,
                                                  const std::set<MemberKey>& without = {});

}  // namespace cgpu
