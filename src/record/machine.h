// What this machine has to record with: tools, devices, and what the kernel permits.
#pragma once

#include <map>
#include <string>

namespace cgpu {

struct Machine {
  std::map<std::string, std::string> programs;  // where they are, by name; only those that are there
  bool nvidia = false;                          // a device of this vendor is there
  bool amd = false;
  bool ascend = false;
  int perf_paranoid = -1;  // /proc/sys/kernel/perf_event_paranoid; above 2 nobody but root may sample
  int ptrace_scope = 0;    // 0: a process may trace others of its user; 1: its descendants; 2: root only; 3: nobody
  bool has_processor_counters = true;
  bool is_root = false;

  bool has(const std::string& program) const { return programs.contains(program); }
};

Machine inspect_machine();

}  // namespace cgpu
