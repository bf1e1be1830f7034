// What PyTorch's flight recorder dumps of the collectives of one rank (`TORCH_NCCL_TRACE_BUFFER_SIZE`), as a pickle or
// as JSON: docs/formats/flight-recorder.md. Nothing in a pickle is executed (readers/common/pickle.h).
//
// O(entries). A pickle is held in memory as a whole, of JSON one entry.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"
#include "readers/common/read_options.h"

namespace cgpu::flight_recorder {

bool is_dump(const Input& input);
/// Throws Error where the file holds no entries.
Run read_dump(const Input& input, const ReadOptions& options);

}  // namespace cgpu::flight_recorder
