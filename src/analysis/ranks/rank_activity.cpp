// Table `rank_activity`: what each device did over time, in buckets of one length for all of them, so that ranks can be
// seen beside each other at any moment. O(n log n) in the device ops of a rank (device_activity.h), of which a few
// bytes a bucket are kept. The test compares it with counting the nanoseconds of each bucket.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/ranks/device_activity.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// Of more devices than have room for this many rows, all have fewer and longer buckets.
constexpr size_t kMostActivityRows = size_t{1} << 20;

TableOption most_buckets_option() {
  TableOption option{"buckets", TableOption::Kind::number, "512",
                     "Into how many buckets the time of a device is cut at most"};
  option.most = 65'536;
  return option;
}

/// Of a device of a rank that is known.
struct PlacedActivity {
  DeviceActivity activity;
  int64_t rank = 0;
  int64_t zero = 0;  // the time on the run's clock that is shown as 0

  /// The rest is found when all ranks are known.
  template <typename Archive>
  void members(Archive& archive) {
    archive(activity);
  }
};

/// A state for fold_of.
class RankActivity {
 public:
  RankActivity(const Analysis&, const TableOptions& options)
      : most_buckets_(static_cast<int64_t>(options.number(most_buckets_option()))) {}

  void update(const RunInSession& run) {
    for (DeviceActivity& activity : device_activities(run, most_buckets_)) devices_.push_back({std::move(activity)});
  }
  void assign_run(const RunIndex& index, size_t run) {
    for (PlacedActivity& placed : devices_) {
      placed.rank = index.facts.run(run).rank;
      placed.zero = index.facts.zeros()[run];
    }
  }
  /// What has been taken over has buckets of one length.
  void combine(RankActivity&& other) {
    unsigned length_log2 = length_log2_;
    for (const PlacedActivity& placed : other.devices_) {
      length_log2 = std::max(length_log2, placed.activity.length_log2());
    }
    lengthen(length_log2);
    for (PlacedActivity& placed : other.devices_) {
      placed.activity.lengthen(length_log2);
      rows_ += placed.activity.buckets();
      devices_.push_back(std::move(placed));
    }
    while (rows_ > kMostActivityRows && length_log2_ < DeviceActivity::kLongestLog2) lengthen(length_log2_ + 1);
  }
  void append_rows(Table& table, const RunIndex&) {
    std::vector<ColumnValues> columns;
    for (const Column& column : table.columns) columns.emplace_back(column.type).reserve(rows_);
    for (const auto& [activity, rank, zero] : devices_) {
      const std::vector<int64_t> bounds = activity.bounds();
      for (size_t bucket = 0; bucket + 1 < bounds.size(); ++bucket) {
        const int64_t length = bounds[bucket + 1] - bounds[bucket];
        const int64_t compute = activity.time_in(DeviceState::compute)[bucket];
        const int64_t communication = activity.time_in(DeviceState::exposed_communication)[bucket];
        const int64_t memory = activity.time_in(DeviceState::exposed_memory)[bucket];
        size_t column = 0;
        for (const int64_t value : {rank, int64_t{activity.device()}, bounds[bucket] - zero, length, compute,
                                    communication, memory, length - compute - communication - memory}) {
          columns[column++].append(value);
        }
      }
    }
    for (size_t column = 0; column < columns.size(); ++column) table.set_values(column, std::move(columns[column]));
  }

  template <typename Archive>
  void members(Archive& archive) {
    archive(devices_);
  }

 private:
  void lengthen(unsigned length_log2) {
    if (length_log2 == length_log2_) return;
    length_log2_ = length_log2;
    rows_ = 0;
    for (PlacedActivity& placed : devices_) {
      placed.activity.lengthen(length_log2);
      rows_ += placed.activity.buckets();
    }
  }

  int64_t most_buckets_;
  std::vector<PlacedActivity> devices_;
  // Of what has been taken over:
  unsigned length_log2_ = 0;
  size_t rows_ = 0;
};

}  // namespace

Analysis rank_activity_analysis() {
  return {
      .name = "rank_activity",
      .about =
          "what each device did over time, in buckets of one length for all devices; the buckets of a device add up "
          "to gpu_time",
      .subject = Subject::ranks,
      .columns = {rank_column(), device_column(), moment_column("start_ns", "where the bucket begins"),
                  time_column("duration_ns",
                              "length of the bucket: the same power of two for all but the first and "
                              "the last one of a device"),
                  time_column("compute_ns", "in which compute runs"),
                  time_column("exposed_comm_ns", "in which communication runs and no compute"),
                  time_column("exposed_memory_ns",
                              "in which copies or memsets run and neither compute nor communication"),
                  time_column("idle_ns", "in which no device op runs")},
      .options = {most_buckets_option()},
      .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
      .fold = fold_of<RankActivity>};
}

}  // namespace cgpu
