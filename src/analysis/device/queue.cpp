// Table `queue`: how many launches wait in the queue of each stream. O(n log n) in the launching calls.
#include <algorithm>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/statistics.h"
#include "analysis/device/queue_changes.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// The number of launched calls whose work has not begun, after each change.
std::vector<int64_t> lengths_after(const std::vector<QueueChange>& changes) {
  std::vector<int64_t> lengths;
  lengths.reserve(changes.size());
  int64_t length = 0;
  for (const QueueChange& change : changes) {
    length += change.second ? 1 : -1;
    lengths.push_back(length);
  }
  return lengths;
}

/// How long the queue has at least so many launches in it, of the lengths after each of the changes.
int64_t time_at(const std::vector<QueueChange>& changes, const std::vector<int64_t>& lengths, int64_t least) {
  int64_t time = 0;
  for (size_t i = 0; i + 1 < changes.size(); ++i) {
    if (lengths[i] >= least) time += changes[i + 1].first - changes[i].first;
  }
  return time;
}

/// So many launches fill the queue of a stream on NVIDIA's devices: the next one blocks.
constexpr int64_t kFull = 1024;

void append_queues(const RunInSession& run, Table& table) {
  for (const auto& [id, changes] : queue_changes(run.facts, run.index)) {
    std::vector<int64_t> lengths = lengths_after(changes);
    const int64_t waiting = time_at(changes, lengths, 1);
    const int64_t full = time_at(changes, lengths, kFull);
    std::sort(lengths.begin(), lengths.end());
    table.append({run.run().rank, int64_t{id.device}, id.stream, static_cast<int64_t>(changes.size() / 2), mean(lengths),
                  sample_deviation(lengths), lengths.front(), quantile_of_sorted(lengths, 0.25),
                  quantile_of_sorted(lengths, 0.5), quantile_of_sorted(lengths, 0.75), lengths.back(), waiting, full});
  }
}

}  // namespace

Analysis queue_analysis() {
  const auto of_length = [](const char* name, const char* about) { return real_column(name, "count", about); };
  return {
      .name = "queue",
      .about = "length of the queue of each stream: calls whose first device op has not begun, after each change",
      .columns = {rank_column(), device_column(), stream_column(),
                  count_column("count", "calls whose first device op ran on the stream"),
                  of_length("mean", "mean length"), of_length("std", "sample standard deviation (n - 1), 0 for one"),
                  count_column("min", "smallest length; below 0 where an op begins before its call, by the clocks"),
                  of_length("p25", "first quartile, interpolated"), of_length("median", "median, interpolated"),
                  of_length("p75", "third quartile, interpolated"), count_column("max", "largest length"),
                  time_column("waiting_ns", "in which at least one call waits"),
                  time_column("full_ns", "in which 1,024 or more wait: the queue is full, and launching blocks")},
      .applies = [](const ProfileCounts& counts) { return counts.launched; },
      .fold = fold_of<RowsByRun<append_queues>>};
}

}  // namespace cgpu
