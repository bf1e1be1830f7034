// PyTorch's execution traces (JSON) and Chakra's (.et, a row of protobuf messages, and the JSON of its simulators).
//
// One pass in a stream; of a node's arguments only their shapes, types and sizes are kept. O(n). Formats:
// PyTorch's ExecutionTraceObserver and Chakra's et_def.proto; docs/formats/chakra.md.
#pragma once

#include "readers/common/input.h"

namespace cgpu::chakra {

/// {"schema": ..., "nodes": [...]}
bool is_pytorch_trace(const Input& input);
Run read_pytorch_trace(const Input& input, const ReadOptions& options);

/// GlobalMetadata and Nodes, each behind its length; or {"workload_graph": [...]}.
bool is_chakra_trace(const Input& input);
Run read_chakra_trace(const Input& input, const ReadOptions& options);

}  // namespace cgpu::chakra
