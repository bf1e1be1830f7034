// rocprofv3 of ROCm: its CSV files, one by one or a folder of them, and its JSON results; and the counters that
// rocprofv2 and rocprofiler-compute write as CSV.
//
// One pass over each file, in a stream. Format: docs/formats/rocprof.md.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::rocprof {

bool is_profile(const Input& input);
/// A timeline of calls, kernels and copies, and launch metrics where counters were collected. Throws Error where it is
/// none of the files.
Run read_profile(const Input& input, const ReadOptions& options);

/// What a CSV file is that rocprof tools write and that is no profile of a run: "statistics that ..."; "" for others.
std::string describe_unread(std::string_view head);

}  // namespace cgpu::rocprof
