// Which ops of sends and receives wait for each other: those of a transfer whose ops met, and all that are joined by
// ops of several transfers (batches).
#pragma once

#include <cstdint>

#include "base/out_of_core.h"
#include "links/collective_series.h"
#include "model/run.h"

namespace cgpu {

/// By part of a series of transfers the number of its meeting, without gaps from 0; the parts of an op have the same.
/// The ops of a transfer met unless one of them ended before the other began, on clocks that can be compared. O(n log
/// n).
OutOfCoreVector<uint32_t> transfer_rendezvous(const Session& session, const CollectiveSeries& series);

}  // namespace cgpu
