// Traces that `cgpu export` wrote, which say what every slice was (model/export_marks.h): they are read back as the
// profile that they were made of, one run at a time, without what cgpu had derived.
//
// One pass, which steps over the packets of other runs. O(n log n) in the arrows.
#pragma once

#include <cstddef>

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::perfetto {

/// The runs in an export; 0 for a trace that is none. Only the beginning is looked at.
size_t runs_of_export(const Input& input);

/// Reads one of the runs. Throws Error.
Run read_export(const Input& input, const ReadOptions& options);

}  // namespace cgpu::perfetto
