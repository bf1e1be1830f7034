// trace_view.json and msprof_*.json: an array of Chrome trace events with times as text.
//
// The events are read as those of any trace-event JSON (readers/trace_event/), which knows what the framework wrote. A
// second pass takes the layers below it, distinguished by the names of their processes: it reads again the arguments of
// calls and of device tasks, in the order of the file, and says what each is.
#pragma once

#include <memory>
#include <string>

#include "base/text_source.h"
#include "readers/ascend/facts.h"
#include "readers/common/read_options.h"

namespace cgpu::ascend {

/// A reader of trace-event JSON. The registry hands it in, since a format includes no other format's folder.
using TraceEventReader = Run (*)(std::shared_ptr<TextSource> source, const std::string& file,
                                 const ReadOptions& options);

/// Reads the trace with `read_trace_events`, and applies the facts. A trace without any layer of an Ascend profile
/// comes back as the Chrome trace that it is. Throws Error.
Run read_trace(std::shared_ptr<TextSource> source, const std::string& file, const Facts& facts,
               const ReadOptions& options, TraceEventReader read_trace_events);

}  // namespace cgpu::ascend
