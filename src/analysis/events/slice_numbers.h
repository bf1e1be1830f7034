// The number by which tables of events name a slice of a session: slices are counted over the runs, in the order of
// their files. O(log runs) either way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// A slice of a session, or a device op where a table says so.
struct EventPlace {
  uint32_t run = 0;
  uint32_t event = 0;
};
using EventPlaces = std::vector<EventPlace>;

class SliceNumbers {
 public:
  explicit SliceNumbers(const Session& session) {
    for (const Run& run : session.runs) {
      begins_.push_back(end_);
      end_ += static_cast<int64_t>(run.timeline.slices.size());
    }
  }

  /// Absent for kNone.
  std::optional<int64_t> number(size_t run, SliceIndex slice) const {
    if (slice == kNone) return std::nullopt;
    return begins_[run] + slice;
  }
  /// Absent for a number that no slice has.
  std::optional<EventPlace> place(int64_t number) const {
    if (number < 0 || number >= end_) return std::nullopt;
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), number);
    const auto run = static_cast<size_t>(after - begins_.begin()) - 1;
    return EventPlace{static_cast<uint32_t>(run), static_cast<uint32_t>(number - begins_[run])};
  }

 private:
  std::vector<int64_t> begins_;  // by run
  int64_t end_ = 0;
};

}  // namespace cgpu
