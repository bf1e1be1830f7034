#include "base/allocator.h"
#include "base/open_files.h"
#include "cli/cli.h"
#include "mpi/program.h"

int main(int argc, char** argv) {
  cgpu::set_up_allocator();
  cgpu::allow_many_open_files();
  return cgpu::run_mpi_program(argc, argv);
}
