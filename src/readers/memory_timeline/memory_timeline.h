// The memory timelines that torch.profiler exports beside a trace (export_memory_timeline), raw and summed up.
//
// One pass in a stream; memory: the events. Format: docs/formats/torch-memory-timeline.md.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::memory_timeline {

bool is_timeline(const Input& input);
/// Memory events and, as counters, the bytes of each category. Throws Error where it is neither form.
Run read_timeline(const Input& input, const ReadOptions& options);

}  // namespace cgpu::memory_timeline
