#include <cstdlib>  // defines __GLIBC__
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/cli.h"

int main(int argc, char** argv) {
#ifdef __GLIBC__
  // Left to itself the allocator keeps columns of up to 32 MB that have been outgrown: a tenth of the memory of a run.
  // Tables that come and go are better kept.
  mallopt(M_MMAP_THRESHOLD, 2 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
  return cgpu::run_command_line(argc, argv);
}
