// How XLA's profiler (JAX, TensorFlow) names devices, what runs on them, and the rows on which it shows that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/timeline.h"

namespace cgpu::xla {

/// A kernel, copy or memset, by the name of an event of a device.
SliceKind kind_of_device_event(std::string_view name);
/// "MemcpyH2D"; unknown where the name does not say.
CopyKind copy_of(std::string_view name);

/// The device whose work a process of a trace shows.
struct DeviceProcess {
  int32_t number = 0;
  std::string name;  // "NVIDIA H100" of "/device:GPU:0 NVIDIA H100"
};
/// Of "/device:GPU:0", "/device:TPU:1 (pid 7)", "/job:w/task:0/device:GPU:0/stream:all Compute"; none of the host, of
/// "/device:CPU:0", and of "/job:w/task:0/device:GPU:0 Compute", where TensorFlow shows what its executor did.
std::optional<DeviceProcess> device_process_of(std::string_view process_name);

/// Which of the rows of a device show what kept it busy; the others say the same by module, step or operation. With
/// streams these; else "XLA Ops"; else, where no row has a name, all.
std::vector<bool> find_op_rows(const std::vector<std::string>& row_names);

}  // namespace cgpu::xla
