// Slices that tell when a thread was on a processor, by the names of their categories: readers write them and exports
// keep them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cgpu {

/// On the track of a processor: a thread ran on it. Named by scheduled_name.
inline constexpr std::string_view kSchedulingCategory = "scheduling";
/// A sample of the call stack of a thread, named by the innermost function: a slice of the time that the sample
/// represents, on the track of the thread or on one of its own (analysis/common/samples.h).
inline constexpr std::string_view kSampleCategory = "cpu sample";

/// A thread as Track::process and Track::thread have it.
struct ScheduledThread {
  std::string_view process;
  std::string_view thread;
  std::string_view name;  // "" where unknown
};

/// "python (process 12, thread 34)", "process 12, thread 34" without a name.
inline std::string scheduled_name(const ScheduledThread& thread) {
  const std::string ids = "process " + std::string(thread.process) + ", thread " + std::string(thread.thread);
  return thread.name.empty() ? ids : std::string(thread.name) + " (" + ids + ")";
}

/// The thread that such a name says; empty for any other name.
inline std::optional<ScheduledThread> scheduled_thread(std::string_view name) {
  constexpr std::string_view kProcess = "process ";
  constexpr std::string_view kThread = ", thread ";
  const size_t process = name.rfind(kProcess);
  const size_t thread = name.rfind(kThread);
  if (process == std::string_view::npos || thread == std::string_view::npos || thread < process) return std::nullopt;
  ScheduledThread found;
  found.process = name.substr(process + kProcess.size(), thread - process - kProcess.size());
  found.thread = name.substr(thread + kThread.size());
  if (process >= 2 && name.ends_with(')')) {
    found.thread.remove_suffix(1);
    found.name = name.substr(0, process - 2);
  }
  return found;
}

}  // namespace cgpu
