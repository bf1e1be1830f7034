// Whom the hosts of a session waited for in their collectives and messages.
//
// Who comes last is not always who is late: a rank that waits for the messages of a slow one comes late to its own
// collectives and messages, too. Of the time that a rank waits for another one, as much as that one itself has waited
// for others since the first one's communication before is therefore caused by whom it waited for, and only the rest by
// itself. O(n log n) in the waits.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "analysis/ranks/lateness.h"
#include "base/interval_set.h"
#include "links/collective_series.h"
#include "links/messages.h"
#include "model/run.h"

namespace cgpu {

/// As lateness_of_members of the collectives of the hosts, with the messages whose senders are known
/// (links/messages.h): a message counts for the one that waits and for its senders. Of waits that end in one of these
/// times (on the common clock). `caused_ns` is without what others caused before.
std::map<MemberKey, Lateness> lateness_of_hosts(const Session& session, std::span<const CollectiveSeries> collectives,
                                                const Messages& messages, const IntervalSet& times);

}  // namespace cgpu
