// Work on several threads, on as many as the system gives: where no more can be started (limits of processes or of
// memory), the work goes on with those that there are, down to the caller's own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace cgpu {

/// How many threads to use where `wanted` were asked for: 0 stands for one a processor. At most 256: more only take
/// memory.
inline unsigned thread_count(unsigned wanted) {
  constexpr unsigned kMost = 256;
  return std::min(kMost, wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency()));
}

/// Calls task(0) ... task(threads - 1), each on a thread of its own, the first on the caller's; returns when all are
/// done. Tasks whose thread cannot be started are not called. Tasks must not throw.
template <typename Task>
void on_threads(unsigned threads, const Task& task) {
  std::vector<std::jthread> others;
  try {
    others.reserve(threads);
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([&task, i] { task(i); });
  } catch (const std::system_error&) {  // no more of them
  }
  task(0U);
}

/// Calls task(i) once for every i < count, started in this order, on up to `threads` threads. Tasks must not throw.
template <typename Task>
void for_each_in_parallel(unsigned threads, size_t count, const Task& task) {
  std::atomic<size_t> next = 0;
  on_threads(static_cast<unsigned>(std::min<size_t>(threads, count)), [&](unsigned) {
    for (size_t i = next++; i < count; i = next++) task(i);
  });
}

/// The same of tasks that may throw: when all are done, throws what the first of them by number has thrown.
template <typename Task>
void for_each_or_throw(unsigned threads, size_t count, const Task& task) {
  std::vector<std::exception_ptr> errors(count);
  for_each_in_parallel(threads, count, [&](size_t i) {
    try {
      task(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// What `task` returns or throws: computed meanwhile on another thread, or, where none can be started, by the caller
/// when it asks for it.
template <typename Task>
auto in_background(Task task) {
  try {
    return std::async(std::launch::async, task);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(task));
  }
}

}  // namespace cgpu
