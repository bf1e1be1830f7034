// rocprof's SQLite databases: `rocpd`, which rocprofv3 of ROCm 7 writes by default, and the results.db of rocprof v1.
// One pass over each table. docs/formats/rocprof.md.
#pragma once

#include "readers/common/input.h"
#include "readers/rocprof/assembler.h"

namespace cgpu::rocprof {

/// Whether the input is a database with tables of either.
bool is_database(const Input& input);

/// What the database says; gives the version of its format. What cannot be read goes to the notes. Throws Error.
std::string read_database(const Input& input, Assembler& assembler);

}  // namespace cgpu::rocprof
