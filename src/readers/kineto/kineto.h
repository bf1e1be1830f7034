// The reader of PyTorch profiler traces (Kineto's Chrome JSON), plain, gzip or zstd.
//
// Three stages a window: read (in turn), parse (in parallel, readers/kineto/event_parser.h), append (in turn, in file
// order). Memory: the columns, one window a thread, the names twice. Format: docs/formats/kineto.md. Other programs'
// Chrome traces come the same way; what PyTorch does not write is put together at the end by readers/chrome/
// (docs/formats/chrome.md).
#pragma once

#include <memory>
#include <string>

#include "base/text_source.h"
#include "model/run.h"
#include "readers/reader.h"

namespace cgpu::kineto {

/// Reads the trace in `source`; `file` is named in errors. Throws Error where it is no JSON trace.
Run read_trace(std::shared_ptr<TextSource> source, const std::string& file, const ReadOptions& options);

}  // namespace cgpu::kineto
