// ascend_timeline_display_*.json and timeline_display_*.json: what MindSpore's profiler (to 2.2) made of a recording.
//
// An array of Chrome trace events without names of layers. A process whose number is that of a device has the ops that
// ran there, a thread for each stream; other processes (9000: AI CPU, from 10000 on: communication and what the
// profiler derived) are kept as they are, their collectives as such.
#pragma once

#include "readers/ascend/trace.h"

namespace cgpu::ascend {

bool is_mindspore_timeline(std::string_view head);
/// Throws Error.
Run read_mindspore_timeline(std::shared_ptr<TextSource> source, const std::string& file, const ReadOptions& options,
                            TraceEventReader read_trace_events);

}  // namespace cgpu::ascend
