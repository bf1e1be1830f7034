// The clocks of a trace and how they go together.
//
// A snapshot says what several clocks showed at one moment. A time of a clock is brought to the trace's clock by the
// last snapshot before it that has both, or over a clock between them where none has. Without any snapshot there is one
// clock, whatever it is called.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace cgpu::perfetto {

// BuiltinClock
inline constexpr uint32_t kRealtime = 1;
inline constexpr uint32_t kMonotonic = 3;
inline constexpr uint32_t kBoottime = 6;
/// Clocks that mean something within their sequence only.
inline bool is_of_sequence(uint32_t clock) {
  constexpr uint32_t kFirst = 64;
  constexpr uint32_t kLast = 127;
  return clock >= kFirst && clock <= kLast;
}

/// A clock over all sequences: its number, and for clocks of a sequence the sequence above that.
using ClockId = uint64_t;
inline ClockId clock_id(uint32_t clock, uint64_t sequence) {
  return is_of_sequence(clock) ? (sequence + 1) << 32 | clock : clock;
}

class Clocks {
 public:
  /// A ClockSnapshot message of a sequence.
  void add_snapshot(std::string_view message, uint64_t sequence);

  /// The time on the trace's clock of what a packet says; incremental clocks count on from the time before.
  std::optional<int64_t> trace_time(uint32_t clock, uint64_t sequence, uint64_t timestamp);
  /// The same for a clock that is not incremental, in nanoseconds.
  std::optional<int64_t> trace_time_of(ClockId clock, int64_t ns);
  /// ns to add to the trace's clock for Unix time.
  std::optional<int64_t> unix_offset();
  /// Snapshots that were no message, or of too many clocks.
  int64_t damaged_snapshots() const { return damaged_; }

 private:
  struct Reading {
    ClockId clock;
    int64_t ns;
  };
  struct Unit {
    int64_t multiplier = 1;
    bool incremental = false;
    int64_t last = 0;  // in the clock's unit
  };
  /// The times of two clocks at the same moments, in order of the first.
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;

  void add_pair(const Reading& from, const Reading& to);
  std::optional<int64_t> converted(ClockId from, ClockId to, int64_t ns) const;
  std::optional<int64_t> over_another(ClockId from, int64_t ns) const;

  std::map<ClockId, Unit> units_;
  std::map<std::pair<ClockId, ClockId>, Pairs> pairs_;
  std::optional<ClockId> trace_clock_;
  bool any_snapshot_ = false;
  int64_t damaged_ = 0;
};

}  // namespace cgpu::perfetto
