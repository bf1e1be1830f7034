// Table `memory_bandwidth`: what copies and memsets move over time, by direction. A transfer moves its bytes evenly
// over its duration, as HTA's memory bandwidth time series has it. O(n log n) in the transfers.
#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/events/level_trace.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct BandwidthLevel {
  Interval time;
  int32_t device = 0;
  CopyKind direction{};
  int64_t transfers = 0;  // at the same time
  double bandwidth = 0;   // GB/s, of all of them
};

/// A transfer that begins or ends.
struct Change {
  int64_t time = 0;
  int64_t transfers = 0;  // 1 or -1
  double bandwidth = 0;   // of the transfer
};

using Direction = std::pair<int32_t, CopyKind>;  // on a device

std::map<Direction, std::vector<Change>> changes_of(const Timeline& timeline) {
  std::map<Direction, std::vector<Change>> of_directions;
  const DeviceOps& ops = timeline.device_ops;
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    const SliceKind kind = timeline.kind(slice);
    if (kind != SliceKind::memcpy && kind != SliceKind::memset) return;
    const int64_t duration = timeline.slices.duration[slice];
    const int64_t bytes = ops.bytes[op];
    if (duration <= 0 || bytes < 0) return;
    const double bandwidth = static_cast<double>(bytes) / static_cast<double>(duration);  // bytes/ns = GB/s
    std::vector<Change>& changes = of_directions[{ops.device[op], ops.copy[op]}];
    changes.push_back({timeline.slices.start[slice], 1, bandwidth});
    changes.push_back({timeline.slices.end(slice), -1, -bandwidth});
  });
  return of_directions;
}

void append_levels(Direction direction, std::vector<Change>& changes, std::vector<BandwidthLevel>& levels) {
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tuple(a.time, a.transfers) < std::tuple(b.time, b.transfers);
  });
  int64_t transfers = 0;
  double bandwidth = 0;
  for (size_t i = 0; i + 1 < changes.size(); ++i) {
    transfers += changes[i].transfers;
    bandwidth = transfers == 0 ? 0 : bandwidth + changes[i].bandwidth;  // what rounding has left does not add up
    const Interval time{changes[i].time, changes[i + 1].time};
    if (transfers == 0 || time.begin == time.end) continue;
    levels.push_back({time, direction.first, direction.second, transfers, bandwidth});
  }
}

class MemoryBandwidth final : public LevelTrace<BandwidthLevel> {
 public:
  explicit MemoryBandwidth(const SessionFacts& facts)
      : LevelTrace(facts), directions_(facts.session(), texts_of_enum<CopyKind, text_of, CopyKind::unknown>) {
    std::vector<std::vector<BandwidthLevel>> levels(runs());
    for (size_t run = 0; run < runs(); ++run) {
      for (auto& [direction, changes] : changes_of(timeline(run))) append_levels(direction, changes, levels[run]);
    }
    take(std::move(levels));
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            device_column(),
            key_column("kind", "direction (H host, D device, A array, P peer) or Memset, as in table transfers"),
            moment_column("start_ns", "from the start of the profile"),
            time_column("duration_ns", "until another transfer begins or ends"),
            count_column("transfers", "of known size that run at the same time"),
            real_column("bandwidth", "GB/s", "of all of these; a transfer moves its bytes evenly over its duration")};
  }

 private:
  enum : size_t { kRank, kDevice, kKind, kStart, kDuration, kTransfers };

  ColumnValues values_at(size_t column, const EventPlaces& places) const override {
    switch (column) {
      case kRank:
        return columns().rank(places);
      case kDevice:
        return members(places, &BandwidthLevel::device);
      case kKind:
        return directions_.values(places, [&](EventPlace place) { return static_cast<size_t>(at(place).direction); });
      case kStart:
        return starts(places);
      case kDuration:
        return durations(places);
      case kTransfers:
        return members(places, &BandwidthLevel::transfers);
      default:
        break;
    }
    ColumnValues values(ColumnType::real);
    for (const EventPlace place : places) values.append(at(place).bandwidth);
    return values;
  }

  EventTexts directions_;
};

}  // namespace

Analysis memory_bandwidth_analysis() {
  return {.name = "memory_bandwidth",
          .about = "what copies and memsets of each direction move over time; without rows where nothing is moved",
          .aliases = {"memory_bw_time_series"},
          .columns = MemoryBandwidth::declared(),
          .applies =
              [](const ProfileCounts& counts) {
                return counts.of({SliceKind::memcpy, SliceKind::memset}) > 0;
              },
          .needs = "copies or memsets of known size",
          .events = [](const Analysis&, const SessionFacts& facts, const TableOptions&) -> std::unique_ptr<EventTable> {
            return std::make_unique<MemoryBandwidth>(facts);
          }};
}

}  // namespace cgpu
