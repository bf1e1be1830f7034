// The reader of trace-event JSON, plain, gzip or zstd: PyTorch's profiler traces (Kineto, docs/formats/kineto.md) and
// the Chrome traces of other programs (docs/formats/chrome.md).
//
// Three stages a window of about 1 MB: read (in turn, windows.h), parse (in parallel, event_parser.h), append (in turn,
// in the order of the file, assembler.h). Slices and flows that are spread over several events, which PyTorch does not
// write, are put together at the end (complete_trace.h). Memory: the columns, one window a thread, the names twice.
#pragma once

#include <memory>
#include <string>

#include "base/text_source.h"
#include "model/run.h"
#include "readers/common/read_options.h"

namespace cgpu::trace_event {

/// Reads the trace in `source`; `file` is named in errors. Throws Error where it is no JSON trace.
Run read_trace(std::shared_ptr<TextSource> source, const std::string& file, const ReadOptions& options);

}  // namespace cgpu::trace_event
