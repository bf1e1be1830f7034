#include "record/job.h"

#include <array>

#include "base/environment.h"
#include "base/parse_number.h"

namespace cgpu {

namespace {

struct Launcher {
  const char* id;
  const char* part;  // of an id that several launches share
  const char* rank;
  const char* size;
};

constexpr std::array kLaunchers{
    Launcher{"PMIX_NAMESPACE", nullptr, "PMIX_RANK", "OMPI_COMM_WORLD_SIZE"},
    Launcher{"TORCHELASTIC_RUN_ID", nullptr, "RANK", "WORLD_SIZE"},
    Launcher{"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    Launcher{"HYDI_CONTROL_FD", nullptr, "PMI_RANK", "PMI_SIZE"},
};

}  // namespace

Job job_of_environment() {
  for (const Launcher& launcher : kLaunchers) {
    const std::string id = environment(launcher.id);
    const auto rank = parse_number<int>(environment(launcher.rank));
    if (id.empty() || !rank || *rank < 0) continue;
    const std::string part = launcher.part == nullptr ? "" : environment(launcher.part);
    if (launcher.part != nullptr && part.empty()) continue;  // a script of the job, no process of a step
    return {part.empty() ? id : id + "." + part, *rank, parse_number<int>(environment(launcher.size))};
  }
  return {};
}

}  // namespace cgpu
