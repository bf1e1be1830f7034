#include "base/allocator.h"
#include "base/open_files.h"
#include "cli/cli.h"

int main(int argc, char** argv) {
  cgpu::set_up_allocator();
  cgpu::allow_many_open_files();
  return cgpu::run_command_line(argc, argv);
}
