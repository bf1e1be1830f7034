// Tables and what is left of runs, to bytes and back (base/archive.h), for summary.cpp.
#pragma once

#include <string>

#include "base/archive.h"
#include "model/run.h"
#include "table/table.h"

namespace cgpu {

void write_table(ByteWriter& bytes, const Table& table);
/// Throws Error for what write_table has not written.
Table read_table(ByteReader& bytes);

/// Of a run that has been let go: identity, devices, clock, notes, totals. A recorded call tree comes back empty: that
/// there was one.
void write_run(ByteWriter& bytes, const Run& run);
Run read_run(ByteReader& bytes);

}  // namespace cgpu
