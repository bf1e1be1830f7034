#include "kernels/communication_names.h"

#include "base/contains.h"

namespace cgpu {

bool communicates_on_host(std::string_view name) {
  return name.starts_with("gloo:") || name.starts_with("mpi:") || name.starts_with("MPI_") || name.starts_with("ucc:");
}

bool communicates(std::string_view name) {
  return communicates_on_host(name) || name.starts_with("nccl:") || contains_any(name, {"c10d", "record_param_comms"});
}

}  // namespace cgpu
