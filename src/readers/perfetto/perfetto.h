// Perfetto traces (.pftrace, .perfetto-trace), plain or compressed.
//
// One pass over the packets, which are taken from the stream one at a time; what they say of names is interned. Memory:
// the run, and while reading 16 bytes for each beginning and end of a slice. O(n), O(n log n) where a track's events
// are not in order. Format: the .proto files of google/perfetto, read without them (fields.h);
// docs/formats/perfetto.md.
#pragma once

#include "readers/common/input.h"

namespace cgpu::perfetto {

bool is_trace(const Input& input);
Run read_trace(const Input& input, const ReadOptions& options);

}  // namespace cgpu::perfetto
