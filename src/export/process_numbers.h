// Numbers of processes and threads for formats that want them to be numbers, different for different processes.
//
// A process or thread keeps the number that it has in the profile, unless that is none, is too large, or is taken by a
// process of another rank or a thread of the same process: then it gets one that systems do not give out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/parse_number.h"

namespace cgpu {

class ProcessNumbers {
 public:
  /// Those of systems are below it.
  static constexpr int64_t kFirstMade = 1'000'000'000;

  /// Of a process of the profile, by the run and its text there.
  int64_t of_process(size_t run, const std::string& process) {
    const auto [at, added] = processes_.try_emplace({run, process}, 0);
    if (added) at->second = take(process, taken_, next_process_);
    return at->second;
  }
  /// A new thread of a process; `thread` is its text in the profile.
  int64_t new_thread(int64_t process, const std::string& thread) {
    return take(thread, threads_[process], next_thread_);
  }

 private:
  static int64_t take(const std::string& text, std::set<int64_t>& taken, int64_t& next) {
    const auto number = parse_number(text);
    const bool kept = number && *number > 0 && *number < kFirstMade;
    if (kept && taken.insert(*number).second) return *number;
    return next++;
  }

  std::map<std::pair<size_t, std::string>, int64_t> processes_;
  std::set<int64_t> taken_;
  std::map<int64_t, std::set<int64_t>> threads_;  // by process
  int64_t next_process_ = kFirstMade;
  int64_t next_thread_ = kFirstMade;
};

}  // namespace cgpu
