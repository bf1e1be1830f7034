// The reader of the SQLite databases of nvprof, NVIDIA's profiler before Nsight Systems (`nvprof -o FILE`, .nvvp).
//
// One pass over each table that has to do with the timeline, NVTX's markers apart from the rest; memory: the columns.
// Format: docs/formats/nvprof.md.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::nvprof {

/// An SQLite database with the tables of CUPTI's records and a StringTable.
bool is_database(const Input& input);
/// Throws Error where the database cannot be read at all.
Run read_database(const Input& input, const ReadOptions& options);

}  // namespace cgpu::nvprof
