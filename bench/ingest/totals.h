// What every competitor must answer: it has seen all events, their exact durations, and their arguments.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

struct Totals {
  int64_t events = 0;       // with "ph": "X"
  int64_t duration_ns = 0;  // sum of dur
  int64_t correlation = 0;  // sum of args.correlation

  Totals& operator+=(const Totals& other) {
    events += other.events;
    duration_ns += other.duration_ns;
    correlation += other.correlation;
    return *this;
  }
  void print() const {
    std::printf("{\"events\": %lld, \"duration_ns\": %lld, \"correlation\": %lld}\n", static_cast<long long>(events),
                static_cast<long long>(duration_ns), static_cast<long long>(correlation));
  }
};

/// Nanoseconds of plain decimal microseconds with at most three decimals, as the benchmark's traces have them.
inline int64_t nanoseconds(std::string_view microseconds) {
  int64_t value = 0;
  int decimals = -1;
  for (char c : microseconds) {
    if (c == '.') {
      decimals = 0;
    } else if (c >= '0' && c <= '9' && decimals < 3) {
      value = value * 10 + (c - '0');
      decimals += decimals >= 0;
    }
  }
  for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; ++decimals) value *= 10;
  return value;
}
