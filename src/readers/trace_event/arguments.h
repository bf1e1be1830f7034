// The arguments of an event, read again from the file.
#pragma once

#include <memory>

#include "base/text_source.h"
#include "model/run.h"

namespace cgpu::trace_event {

/// Reads the event at a slice's source position: one positioned read (a snapshot of the decoder away for gzip, see
/// base/text_source.h) and one parse. Values that look like credentials are given out as "[hidden]".
std::shared_ptr<ArgumentSource> make_argument_source(std::shared_ptr<TextSource> source, std::string file);

}  // namespace cgpu::trace_event
