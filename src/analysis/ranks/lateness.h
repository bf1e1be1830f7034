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
  double squares = 0;     // ns^2, of these times for one delay after another; 0: not known
};

/// Index of the run and device (-1: the host).
using MemberKey = std::pair<uint32_t, int32_t>;

/// Of the members of these series, as if those in `without` did not take part; series that do not count (where `counts`
/// is given) are left out. Of none unless the clocks of the runs can be compared (session_clock.h). Collectives one
/// after another with the same last member, but for those in which hardly anybody waits, show one delay. O(parts log
/// members + collectives log collectives).
std::map<MemberKey, Lateness> lateness_of_members(const Session& session, std::span<const CollectiveSeries> collectives,
                                                  const std::function<bool(const CollectiveSeries&)>& counts = nullptr,
                                                  const std::set<MemberKey>& without = {});

/// How likely some `count` of `members`, of which each is the last one equally often, cause at least this `share` of so
/// many delays by chance, at most (binomial, with Bonferroni's bound over the choice of the members).
double chance_of_share(size_t count, size_t members, double share, double delays);

}  // namespace cgpu
