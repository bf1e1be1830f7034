#include "cli/cli.h"

int main(int argc, char** argv) {
  return cgpu::run_command_line(argc, argv);
}
