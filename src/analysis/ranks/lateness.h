// Who began collectives last, and what the others waited for that (docs/definitions/collectives.md, "stragglers").
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

/// By index of the run and device (-1: the host), of the members of these series, those that do not count (where
/// `counts` is given) left out; of none unless the clocks of the runs can be compared (session_clock.h).
/// O(parts log members).
std::map<std::pair<uint32_t, int32_t>, Lateness> lateness_of_members(
    const Session& session, std::span<const CollectiveSeries> collectives,
    const std::function<bool(const CollectiveSeries&)>& counts = nullptr);

}  // namespace cgpu
