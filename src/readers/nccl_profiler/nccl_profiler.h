// Logs of plugins of NCCL's profiler interface other than Inspector: JSON lines with an event each, and the Chrome
// traces of NCCL's example plugin: docs/formats/nccl-profiler.md.
//
// O(lines) time; memory for the collectives and the steps of one file.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"
#include "readers/common/read_options.h"

namespace cgpu::nccl_profiler {

bool is_log(const Input& input);
/// Throws Error where no line is an event.
Run read_log(const Input& input, const ReadOptions& options);

}  // namespace cgpu::nccl_profiler
