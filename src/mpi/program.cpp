#include "mpi/program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.h"
#include "cli/cli.h"
#include "gate/figures/collect_figures.h"
#include "mpi/death_notice.h"
#include "mpi/mpi_exchange.h"
#include "report/run_history.h"

namespace cgpu {

namespace {

std::unique_ptr<RunCollector> make_collector(const std::string& name) {
  if (name == RunHistories::kName) return std::make_unique<RunHistories>();
  if (auto figures = FigureCollector::of_name(name)) return figures;
  throw Error("process 0 asks for " + name + ", which this program does not know: are all processes of one version?");
}

/// Throws Error where launchers have started several processes and MPI knows one of them: each would do all of the
/// work, and write the same file.
void check_launcher(const MpiExchange& exchange) {
  if (exchange.processes() > 1) return;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || std::strtol(value, nullptr, 10) <= 1) continue;
    throw Error(
        fmt::format("{}={}, but MPI knows of one process only: start cgpu-mpi with the mpirun of the MPI that it "
                    "was built with, or with an srun that serves it (srun --mpi=list)",
                    name, value));
  }
}

}  // namespace

int run_mpi_program(int argc, char** argv) {
  // The output of a process may be a terminal of the launcher's own, which the user does not see.
  setenv("NO_COLOR", "1", 1);
  MpiExchange exchange(argc, argv);
  const DeathNotice notice(exchange.open_files());
  if (exchange.is_root()) {
    const int exit_code = exit_code_of([&] {
      check_launcher(exchange);
      return run_shared_command_line(argc, argv, exchange);
    });
    exchange.dismiss_workers();
    return exit_code;
  }
  exchange.work(make_collector);
  return 0;
}

}  // namespace cgpu
