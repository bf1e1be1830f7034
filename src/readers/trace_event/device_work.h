// Which slices of a Chrome trace are device work although no category says so: by the processes of XLA (JAX,
// TensorFlow), of rpd2tracing and of converters of Nsight Systems' exports, by the names that IBM's AIU gives its
// events, and what ONNX Runtime's categories mean.
#pragma once

#include "model/run.h"
#include "readers/trace_event/parts.h"

namespace cgpu::trace_event {

/// `run` is of a trace that cgpu did not write; its tracks have their names, and all slices are there. O(slices).
void find_device_work(const Parts& parts, Run& run);

}  // namespace cgpu::trace_event
