// Memory snapshots of PyTorch in SQLite (torch.cuda.memory._dump_snapshot_sqlite): tables of events, segments and
// blocks.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::torch_memory {

bool is_snapshot_database(const Input& input);
void read_snapshot_database(const Input& input, Run& run);

}  // namespace cgpu::torch_memory
