// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace cgpu {

/// Calls task(i) once for every i < count, started in this order. `threads`: at least 1, including the caller's. Tasks
/// must not throw.
template <typename Task>
void for_each_in_parallel(unsigned threads, size_t count, const Task& task) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) task(i);
  };
  std::vector<std::jthread> others;
  for (size_t i = 1; i < std::min<size_t>(threads, count); ++i) others.emplace_back(work);
  work();
}

}  // namespace cgpu
