#include "mpi/program.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.h"
#include "cli/cli.h"
#include "gate/collect_figures.h"
#include "mpi/death_notice.h"
#include "mpi/mpi_exchange.h"
#include "report/run_history.h"

namespace cgpu {

namespace {

std::unique_ptr<RunCollector> make_collector(const std::string& name) {
  if (name == RunHistories::kName) return std::make_unique<RunHistories>();
  if (name == FigureCollector::kName) return std::make_unique<FigureCollector>();
  throw Error("process 0 asks for " + name + ", which this program does not know: are all processes of one version?");
}

}  // namespace

int run_mpi_program(int argc, char** argv) {
  // The output of a process may be a terminal of the launcher's own, which the user does not see.
  setenv("NO_COLOR", "1", 1);
  MpiExchange exchange(argc, argv);
  const DeathNotice notice(exchange.open_files());
  if (exchange.is_root()) {
    const int exit_code = run_shared_command_line(argc, argv, exchange);
    exchange.dismiss_workers();
    return exit_code;
  }
  const int exit_code = exit_code_of([&] {
    exchange.work(make_collector);
    return 0;
  });
  if (exit_code != 0) exchange.abort(exit_code);
  return exit_code;
}

}  // namespace cgpu
