// A table of chosen events of all runs, in order of their starts: api_trace, device_trace, launch_trace, range_trace.
#pragma once

#include <span>
#include <tuple>

#include "analysis/events/event_columns.h"
#include "analysis/events/event_table.h"
#include "base/sort_runs.h"

namespace cgpu {

class EventTrace : public EventTable {
 public:
  explicit EventTrace(const SessionFacts& facts) : columns_(facts) {}

  size_t row_count() const override { return events_.size(); }
  ColumnValues values(size_t column, std::span<const uint32_t> rows) const override {
    EventPlaces places;
    places.reserve(rows.size());
    for (const uint32_t row : rows) places.push_back(events_[row]);
    return values_at(column, places);
  }

 protected:
  virtual ColumnValues values_at(size_t column, const EventPlaces& places) const = 0;

  void add(size_t run, size_t event) { events_.push_back({static_cast<uint32_t>(run), static_cast<uint32_t>(event)}); }
  /// Puts the events in order of start_of(place), on the clock of their run. Equal ones keep their order, which is that
  /// of their runs and numbers.
  template <typename StartOf>
  void order_by_start(StartOf start_of) {
    const auto key = [&](EventPlace place) {
      return std::tuple(start_of(place) - columns_.zero(place.run), place.run, place.event);
    };
    sort_runs(events_, [&](EventPlace a, EventPlace b) { return key(a) < key(b); });
  }
  const SliceColumns& columns() const { return columns_; }
  const Timeline& timeline(size_t run) const { return columns_.timeline(run); }
  size_t runs() const { return columns_.session().runs.size(); }

 private:
  SliceColumns columns_;
  EventPlaces events_;
};

}  // namespace cgpu
