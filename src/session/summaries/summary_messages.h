// Tables, and what is left of runs, as members of a message (base/message.h), for summaries and between processes. The
// readers for positional bytes read what version 9 of summaries has in their place.
#pragma once

#include "base/message.h"
#include "base/positional_reader.h"
#include "model/run.h"
#include "table/table.h"

namespace cgpu {

/// The times in which threads of a rank waited for other ranks (analysis/idle/host_causes.h).
template <typename Archive, typename Waits>
void wait_members(Archive& archive, Waits& waits) {
  each_element(archive, waits, [&](auto& wait) { archive(wait.thread, wait.time.begin, wait.time.end); });
}

void write_table(MessageWriter& message, const Table& table);
/// Columns of a type that this program does not know are left out. Throws Error for what write_table has not written.
Table read_table(MessageReader& message);
Table read_table(PositionalReader& bytes);

/// Of a run that has been released: identity, devices, groups, clock as it was recorded, notes, totals, and its
/// collectives (release.h). A recorded call tree, measured launches and an op graph come back empty: that there were
/// some.
void write_run(MessageWriter& message, const Run& run);
Run read_run(MessageReader& message);
Run read_run(PositionalReader& bytes);

}  // namespace cgpu
