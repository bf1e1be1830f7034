// Starts the recorder of PyTorch programs (torch/) in a program, by its environment.
#pragma once

#include <string>

#include "record/collector.h"

namespace cgpu {

/// Has the modules of torch/ find the steps of a program that imports torch, and record them; `is_outside`: have the
/// collector's profiler record them, by cudaProfilerStart and cudaProfilerStop.
void add_torch_recorder(RecordPlan& plan, const RecordContext& context, bool is_outside);
/// Empty, or why that recorder would not be started in the program.
std::string why_no_torch_recorder(const Program& program);

}  // namespace cgpu
