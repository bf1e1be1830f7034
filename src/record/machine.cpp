#include "record/machine.h"

#include <glob.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

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

bool is_program(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::stringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string found = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(found)) return found;
  }
  return "";
}

Machine inspect_machine() {
  Machine machine;
  for (const char* name : {"nsys", "ncu", "rocprofv3", "msprof", "hpcrun", "hpcstruct", "hpcprof", "perf", "py-spy"}) {
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
