#include "base/allocator.h"
#include "cli/cli.h"
#include "mpi/program.h"

int main(int argc, char** argv) {
  cgpu::set_up_allocator();
  return cgpu::run_mpi_program(argc, argv);
}
