// Traces that one profiler writes as several JSON documents, a line each (Triton's Proton: one for each stream or
// kernel), as one list of events.
#pragma once

#include <memory>

#include "base/text_source.h"

namespace cgpu::trace_event {

/// A source whose text has a comma and blanks where one document ends and the next begins, so that positions stay the
/// same. `source` itself where its first line is not written so. O(1) memory.
std::shared_ptr<TextSource> join_documents(std::shared_ptr<TextSource> source);

}  // namespace cgpu::trace_event
