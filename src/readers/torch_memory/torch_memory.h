// Snapshots of PyTorch's memory allocator (torch.cuda.memory._dump_snapshot), which are pickles.
//
// Format: docs/formats/torch-memory.md. Memory: O(file), about eight times its size while it is read.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::torch_memory {

bool is_snapshot(const Input& input);
/// Allocator events of every device, and a call tree of what was allocated where. Throws Error where it is no snapshot.
Run read_snapshot(const Input& input, const ReadOptions& options);

}  // namespace cgpu::torch_memory
