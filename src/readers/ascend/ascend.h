// The reader of Ascend profiles: what torch_npu, MindSpore and msprof write for one rank.
//
// A profile is a folder with a trace (trace_view.json) and tables (CSV), or with a database (ascend_*_profiler_*.db,
// msprof_*.db); one of these files alone is a profile too. The database is preferred: its times are whole nanoseconds.
// One pass over each file; memory: the columns, and for a database its texts and one entry a device task.
// Format: docs/formats/ascend.md.
#pragma once

#include "model/run.h"
#include "readers/ascend/trace.h"
#include "readers/common/input.h"

namespace cgpu::ascend {

/// A profile folder, or a trace, kernel list or database of one.
bool is_profile(const Input& input);
/// `read_trace_events` reads the trace's JSON. Throws Error where nothing in it can be read.
Run read_profile(const Input& input, const ReadOptions& options, TraceEventReader read_trace_events);

}  // namespace cgpu::ascend
