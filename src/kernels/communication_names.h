// Names of framework ops, ranges and calls that are communication between processes: PyTorch's backends write
// "nccl:all_reduce", its c10d library ops of its own, and MPI its functions.
#pragma once

#include <string_view>

namespace cgpu {

/// Whether the hosts themselves communicate in it.
bool communicates_on_host(std::string_view name);

/// The same, or whether it has devices communicate: either may wait for another process.
bool communicates(std::string_view name);

}  // namespace cgpu
