// The words of rocmProfileData (`.rpd`) for what it records, in its database and in the Chrome traces that rpd2tracing
// makes of it. Source: rpd_tracer of ROCm/rocmProfileData, schema versions 1 to 3.
#pragma once

#include <string_view>

#include "model/timeline.h"

namespace cgpu::rpd {

/// What an op of a device is.
struct Op {
  SliceKind kind = SliceKind::kernel;
  CopyKind copy = CopyKind::none;
};
/// By the type of the op ("KernelExecution", "CopyHostToDevice", "FillBuffer", "Barrier"), or by its name.
Op op_of(std::string_view type);

/// What a call of the host is, by its name: of HIP or CUDA, of a driver, of the tracer itself, or a range of the
/// program.
SliceKind kind_of_call(std::string_view name);

}  // namespace cgpu::rpd
