// Logs of NCCL's profiler plugin Inspector: JSON lines, one a collective or transfer of a communicator, as far as they
// say when (NCCL_INSPECTOR_DUMP_VERBOSE=1): docs/formats/nccl-inspector.md.
//
// O(lines) time; one line in memory.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"
#include "readers/common/read_options.h"

namespace cgpu::nccl_inspector {

bool is_log(const Input& input);
/// Throws Error where no line says when its collective ran, or where the log is of several ranks.
Run read_log(const Input& input, const ReadOptions& options);

}  // namespace cgpu::nccl_inspector
