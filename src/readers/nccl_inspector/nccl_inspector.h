// Logs of NCCL's profiler plugin Inspector: JSON lines, one a collective or transfer of a communicator. A timeline
// where they say when (NCCL_INSPECTOR_DUMP_VERBOSE=1), else a tree of calls: docs/formats/nccl-inspector.md.
//
// O(lines) time; one line in memory.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"
#include "readers/common/read_options.h"

namespace cgpu::nccl_inspector {

bool is_log(const Input& input);
/// Throws Error where no line is of a collective, or where a log with times is of several ranks.
Run read_log(const Input& input, const ReadOptions& options);

}  // namespace cgpu::nccl_inspector
