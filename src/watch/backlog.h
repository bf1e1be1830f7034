// Whether `cgpu watch` falls behind: more than a few runs wait, and the first of them longer than several intervals
// between scans.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace cgpu {

class Backlog {
 public:
  using Duration = std::chrono::steady_clock::duration;

  explicit Backlog(Duration interval) : limit_(kIntervals * interval) {}

  /// Runs that wait now, and how long the first of them has. Returns a sentence where falling behind begins, and where
  /// it ends (at most one run waits); else "".
  std::string update(size_t waiting, Duration oldest);

 private:
  static constexpr size_t kFew = 3;
  static constexpr int kIntervals = 5;

  Duration limit_;
  bool is_behind_ = false;
};

}  // namespace cgpu
