// Tables and what is left of runs, to bytes and back (base/archive.h), for summaries.
#pragma once

#include <string>

#include "base/archive.h"
#include "model/run.h"
#include "table/table.h"

namespace cgpu {

void write_table(ByteWriter& bytes, const Table& table);
/// Throws Error for what write_table has not written.
Table read_table(ByteReader& bytes);

/// Of a run that has been let go: identity, devices, groups, clock as it was recorded, notes, totals, and its
/// collectives (let_go.h). A recorded call tree, measured launches and an op graph come back empty: that there were
/// some.
void write_run(ByteWriter& bytes, const Run& run);
Run read_run(ByteReader& bytes);

}  // namespace cgpu
