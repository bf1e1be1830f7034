// Tables of what stays at a level for a while: a row for each time between two changes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/events/event_trace.h"
#include "base/interval_set.h"

namespace cgpu {

/// A Level has `Interval time`, on the clock of its run. 8 bytes a row and the levels; O(n log n).
template <typename Level>
class LevelTrace : public EventTrace {
 public:
  using EventTrace::EventTrace;

 protected:
  /// Takes over the rows of all runs, and puts them in order of time.
  void take(std::vector<std::vector<Level>> levels) {
    levels_ = std::move(levels);
    for (size_t run = 0; run < levels_.size(); ++run) {
      for (size_t level = 0; level < levels_[run].size(); ++level) add(run, level);
    }
    order_by_start([&](EventPlace place) { return at(place).time.begin; });
  }

  const Level& at(EventPlace place) const { return levels_[place.run][place.event]; }
  ColumnValues starts(const EventPlaces& places) const {
    return integer_values(places, [&](EventPlace place) { return at(place).time.begin - columns().zero(place.run); });
  }
  ColumnValues durations(const EventPlaces& places) const {
    return integer_values(places, [&](EventPlace place) { return at(place).time.end - at(place).time.begin; });
  }
  template <typename T>
  ColumnValues members(const EventPlaces& places, T Level::*member) const {
    return integer_values(places, [&](EventPlace place) { return static_cast<int64_t>(at(place).*member); });
  }

 private:
  std::vector<std::vector<Level>> levels_;  // by run
};

}  // namespace cgpu
