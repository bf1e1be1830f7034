#include "base/open_files.h"

#include <sys/resource.h>

namespace cgpu {

void allow_many_open_files() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);  // where that is refused, a file that cannot be opened is an error
}

}  // namespace cgpu
