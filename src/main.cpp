#include "base/allocator.h"
#include "cli/cli.h"

int main(int argc, char** argv) {
  cgpu::set_up_allocator();
  return cgpu::run_command_line(argc, argv);
}
