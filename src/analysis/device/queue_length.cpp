// Table `queue_length`: how long the queue of each stream was over time. O(n log n) in the launching calls.
#include "analysis/common/columns.h"
#include "analysis/device/queue_changes.h"
#include "analysis/events/level_trace.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct QueueLevel {
  Interval time;
  int32_t device = 0;
  int64_t stream = 0;
  int64_t length = 0;
};

/// From each change up to the next one; changes at one time are one.
void append_levels(StreamId id, const std::vector<QueueChange>& changes, std::vector<QueueLevel>& levels) {
  int64_t length = 0;
  for (size_t i = 0; i + 1 < changes.size(); ++i) {
    length += changes[i].second ? 1 : -1;
    const Interval time{changes[i].first, changes[i + 1].first};
    if (time.begin < time.end) levels.push_back({time, id.device, id.stream, length});
  }
}

class QueueLength final : public LevelTrace<QueueLevel> {
 public:
  explicit QueueLength(const SessionFacts& facts) : LevelTrace(facts) {
    std::vector<std::vector<QueueLevel>> levels(runs());
    for (size_t run = 0; run < runs(); ++run) {
      for (const auto& [id, changes] : queue_changes(facts, run)) append_levels(id, changes, levels[run]);
    }
    take(std::move(levels));
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            device_column(),
            stream_column(),
            moment_column("start_ns", "from the start of the profile"),
            time_column("duration_ns", "until the length changes again"),
            count_column("length",
                         "calls whose first device op has not begun; below 0 where an op begins before its call, by "
                         "the clocks")};
  }

 private:
  enum : size_t { kRank, kDevice, kStream, kStart, kDuration };

  ColumnValues values_at(size_t column, const EventPlaces& places) const override {
    switch (column) {
      case kRank:
        return columns().rank(places);
      case kDevice:
        return members(places, &QueueLevel::device);
      case kStream:
        return members(places, &QueueLevel::stream);
      case kStart:
        return starts(places);
      case kDuration:
        return durations(places);
      default:
        return members(places, &QueueLevel::length);
    }
  }
};

}  // namespace

Analysis queue_length_analysis() {
  return {.name = "queue_length",
          .about = "length of the queue of each stream over time: a row from each change to the next",
          .aliases = {"queue_length_time_series"},
          .columns = QueueLength::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.launched; },
          .needs = "launches with the device ops that they started",
          .events = [](const Analysis&, const SessionFacts& facts, const TableOptions&) -> std::unique_ptr<EventTable> {
            return std::make_unique<QueueLength>(facts);
          }};
}

}  // namespace cgpu
