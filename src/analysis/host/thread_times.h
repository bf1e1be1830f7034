// What each host thread did, moment by moment, as far as the profile tells: docs/definitions/threads-and-waits.md,
// "threads".
//
// O(n log n) in the host slices, O(n) where they come sorted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval_set.h"
#include "model/run.h"

namespace cgpu {

/// What a moment of a thread goes to; every moment to one of them.
enum class ThreadState : uint8_t {
  running,        // on a processor and in no call that waits, by scheduling or samples
  device_wait,    // in a call that returns when a device has done something
  lock_wait,      // in a call that waits for a lock, a condition or a semaphore
  io_wait,        // in a call that reads, writes or waits for input
  sleep,          // in a call that sleeps
  other_wait,     // in a call that waits for another thread, a process or a signal
  not_scheduled,  // on no processor and in no call that waits
  call,           // in a call of a runtime or driver
  os_call,        // in another call of the operating system
  op,             // in a framework op
  python_frame,   // in a Python frame
  annotation,     // in an annotation
  unknown,
};
inline constexpr size_t kThreadStates = static_cast<size_t>(ThreadState::unknown) + 1;

/// Which records tell when a thread ran.
enum class ThreadEvidence : uint8_t { scheduling, samples, calls };
const char* text_of(ThreadEvidence evidence);  // "scheduling", ...

struct ThreadTimes {
  std::string process;  // as Track has them
  std::string process_name = {};
  std::string thread;
  std::string name = {};
  Interval span = {};                          // from the first to the last moment that the profile shows it
  std::array<int64_t, kThreadStates> ns = {};  // adds up to the span
  ThreadEvidence evidence = ThreadEvidence::calls;
  int64_t scheduled_ns = 0;                  // of the span, in which scheduling was recorded
  int64_t on_processor_ns = 0;               // of that, on a processor; also in calls that wait
  std::optional<int64_t> processor_ns = {};  // without scheduling: its processor time, where the call tree has it
  int64_t running_samples = 0;               // samples that running is the time of
  int64_t possible_samples = 0;              // as many as there would be had it run all the time

  IntervalSet at_work = {};  // on a processor, running by samples, or in code, by the evidence
  IntervalSet waiting = {};  // in calls that wait

  int64_t span_ns() const { return span.end - span.begin; }
  int64_t of(ThreadState state) const { return ns[static_cast<size_t>(state)]; }
};

/// The host threads of a run that have a length, in the order of their tracks; threads whose scheduling alone is
/// known behind them.
std::vector<ThreadTimes> thread_times(const Run& run);

}  // namespace cgpu
