// Table `micro_batches`: where the same sequence of device ops runs on several streams in turn, as for parts of a
// batch, and how much of the time of each the others hide.
//
// O(n log n) in the device ops. The test compares the times with counting every nanosecond.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/rows_by_run.h"
#include "analysis/steps/streams_in_turn.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

void append_micro_batches(const RunInSession& run, Table& table) {
  const Timeline& timeline = run.timeline();
  for (const auto& [key, group] : find_streams_in_turn(run)) {
    const auto& [device, numbers] = key;
    std::map<int64_t, IntervalSet> busy;
    IntervalSet any;
    for (const auto& [stream, ops] : group.ops) {
      busy.emplace(stream, busy_time(timeline, ops));
      any = any.unite(busy.at(stream));
    }
    int64_t together_ns = any.length();
    std::map<int64_t, int64_t> alone_ns;
    for (const int64_t stream : numbers) {
      IntervalSet others;
      for (const int64_t other : numbers) {
        if (other != stream) others = others.unite(busy.at(other));
      }
      alone_ns[stream] = busy.at(stream).subtract(others).length();
      together_ns -= alone_ns[stream];
    }
    for (const int64_t stream : numbers) {
      std::vector<int64_t> beside;
      std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(beside),
                   [&](int64_t other) { return other != stream; });
      const int64_t busy_ns = busy.at(stream).length();
      const int64_t hidden_ns = busy_ns - alone_ns[stream];
      table.append({int64_t{0}, int64_t{device}, stream, fmt::format("{}", fmt::join(beside, ", ")), group.steps,
                    group.turns, static_cast<int64_t>(group.ops.at(stream).size()), busy_ns, alone_ns[stream],
                    hidden_ns, percent_of(hidden_ns, busy_ns), any.length(), together_ns,
                    percent_of(together_ns, any.length())});
    }
  }
}

}  // namespace

Analysis micro_batches_analysis() {
  return {.name = "micro_batches",
          .about =
              "where the same sequence of device ops runs on several streams in turn (parts of a batch), and what they "
              "hide of each other",
          .columns = {rank_column(), device_column(), stream_column(),
                      key_column("beside", "the other streams with the same sequence"),
                      count_column("steps", "iterations in which they have it"),
                      count_column("turns", "launches on another of these streams than the launch before, in all"),
                      count_column("count", "device ops of the stream"),
                      time_column("busy_ns", "in which it runs: alone_ns and hidden_ns"),
                      time_column("alone_ns", "in which it runs and none of the others does"),
                      time_column("hidden_ns", "in which it runs beside one of them"),
                      real_column("hidden_pct", "%", "share of hidden_ns in busy_ns"),
                      time_column("any_ns", "in which any of all these streams runs"),
                      time_column("together_ns", "in which two of them or more run"),
                      real_column("together_pct", "%", "share of together_ns in any_ns")},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .needs = "two streams of a device with the same sequence of device ops in an iteration",
          .fold = fold_of<RowsByRun<append_micro_batches>>};
}

}  // namespace cgpu
