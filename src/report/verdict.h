// A run in one line: its steps, how busy its devices were, and what the rest of their time went to.
#pragma once

#include <string>
#include <vector>

#include "model/run.h"
#include "session/wanted_table.h"
#include "table/table.h"

namespace cgpu {

/// What the devices of a session are called: "GPU" where the profile says that they are, else "device".
std::string device_word(const Session& session);

/// The tables that a verdict is made of.
std::vector<WantedTable> verdict_tables();

/// "18.2 ms a step (4 steps): GPU 91.6% busy, 10.3% exposed communication, 8.4% idle, most of it data loading (2.4%)."
/// And which part of that time the findings are about, where they judge another. Of `tables` those of verdict_tables()
/// and the findings count, the others may be any; "" where no device did anything.
std::string verdict_of(const Session& session, const std::vector<const Table*>& tables);
std::string verdict_of(const Session& session, const std::vector<Table>& tables);

}  // namespace cgpu
