#include "record/machine.h"

#include <glob.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "readers/common/outside_program.h"

namespace cgpu {

namespace {

bool any_matches(const char* pattern) {
  glob_t found{};
  const bool matches = ::glob(pattern, 0, nullptr, &found) == 0;
  ::globfree(&found);
  return matches;
}

int number_in(const char* path, int otherwise) {
  std::ifstream file(path);
  int number = otherwise;
  return file >> number ? number : otherwise;
}

}  // namespace

Machine inspect_machine() {
  Machine machine;
  for (const char* name :
       {"nsys", "ncu", "rocprofv3", "msprof", "hpcrun", "hpcstruct", "hpcprof", "perf", "py-spy", "curl"}) {
    std::string path = find_program(name);
    if (!path.empty()) machine.programs.emplace(name, std::move(path));
  }
  machine.nvidia = any_matches("/dev/nvidia[0-9]*");
  machine.amd = any_matches("/dev/kfd");
  machine.ascend = any_matches("/dev/davinci[0-9]*");
  machine.perf_paranoid = number_in("/proc/sys/kernel/perf_event_paranoid", -1);
  machine.ptrace_scope = number_in("/proc/sys/kernel/yama/ptrace_scope", 0);
  machine.has_processor_counters =
      any_matches("/sys/bus/event_source/devices/cpu*") || any_matches("/sys/bus/event_source/devices/armv8*");
  machine.is_root = ::geteuid() == 0;
  return machine;
}

}  // namespace cgpu
