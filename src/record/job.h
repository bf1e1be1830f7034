// The parallel job that this process belongs to, as its launcher says in the environment.
#pragma once

#include <optional>
#include <string>

namespace cgpu {

struct Job {
  std::string id;  // the same for all processes of the job and of no other; "" outside of one
  int rank = 0;
  std::optional<int> size;

  bool is_parallel() const { return !id.empty(); }
};

/// Of PMIx (Open MPI), Slurm, PMI (MPICH, Intel MPI) or torchrun.
Job job_of_environment();

}  // namespace cgpu
