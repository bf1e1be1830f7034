// Folded stacks, which flame graphs are drawn from (docs/formats/folded.md): a stack and its count a line. Streams;
// memory is that of the call tree.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::folded {

bool is_folded(const Input& input);
/// Throws Error where not a single stack can be read.
Run read_folded(const Input& input, const ReadOptions& options);

}  // namespace cgpu::folded
