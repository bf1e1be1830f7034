// The database that rocprof-compute (ROCm Compute Profiler) writes of an analysis (`--output-format db`): launches,
// values of metrics a kernel, roofline, samples of program counters. docs/formats/rocprof-compute.md.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::rocprof_compute {

bool is_database(const Input& input);
/// Throws Error where the database has no kernel.
Run read_database(const Input& input, const ReadOptions& options);

}  // namespace cgpu::rocprof_compute
