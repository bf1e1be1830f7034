// What `perf script` prints (docs/formats/perf-script.md): samples with their stacks, or calls and returns that the
// processor traced. Streams; memory is that of the call tree, 16 bytes a sample, and the slices of traced calls.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::perf_script {

bool is_script(const Input& input);
/// Throws Error where not a single sample can be read.
Run read_script(const Input& input, const ReadOptions& options);

/// What `perf record` writes ("perf.data"), which `perf script` prints.
bool is_recording(const Input& input);
/// Has perf print it. Throws Error, with the command to run by hand, where `perf` is not on PATH or fails.
Run read_recording(const Input& input, const ReadOptions& options);

}  // namespace cgpu::perf_script
