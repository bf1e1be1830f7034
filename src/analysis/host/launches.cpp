// Table `launches`: the calls that start device work, and how long the work waits. O(n) in the slices, besides sorting
// the rows.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/groups_by_name.h"
#include "analysis/common/statistics.h"
#include "analysis/host/launch_calls.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct CallsOfName {
  int64_t calls = 0;  // launching or not
  DurationStatistics durations;
  DurationStatistics delays;

  void combine(CallsOfName&& other) {
    calls += other.calls;
    durations.combine(std::move(other.durations));
    delays.combine(std::move(other.delays));
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(calls, durations, delays);
  }
};

class Launches {
 public:
  Launches(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    const Timeline& timeline = run.timeline();
    const Slices& slices = timeline.slices;
    calls_.enter(timeline.names);
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (is_call(timeline.kind(slice)) && is_plausible(timeline, slice)) ++calls_.of(slices.name[slice]).calls;
    }
    for (const LaunchingCall& launch : run.facts.launching_calls(run.index)) {
      const int64_t first_start = slices.start[timeline.device_ops.slice[launch.first_op]];
      CallsOfName& calls = calls_.of(slices.name[launch.call]);
      calls.durations.add(slices.duration[launch.call]);
      calls.delays.add(std::max<int64_t>(0, first_start - slices.end(launch.call)));
    }
  }
  void combine(Launches&& other) { calls_.combine(std::move(other.calls_)); }
  void append_rows(Table& table, const RunIndex&) {
    calls_.for_each([&](std::string_view name, const CallsOfName& calls) {
      const int64_t count = calls.delays.count();
      if (count == 0) return;
      table.append({cell(name), count, calls.durations.mean(), calls.delays.mean(), calls.delays.median(),
                    calls.delays.max(), calls.calls - count});
    });
    sort_most_first(table, "count");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(calls_);
  }

 private:
  GroupsByName<CallsOfName> calls_;
};

/// The launching calls by name.
std::vector<Row> visit_launching_calls(const SessionFacts& facts, const TableOptions&, const RowSlices::Visit& visit) {
  MergedNames names;
  std::unordered_map<StringId, uint32_t> row_of;  // by merged number
  std::vector<Row> keys;
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    const Timeline& timeline = facts.run(run).timeline;
    names.enter(timeline.names);
    for (const LaunchingCall& launch : facts.launching_calls(run)) {
      if (!is_call(timeline.kind(launch.call))) continue;
      const StringId name = names.number(timeline.slices.name[launch.call]);
      const auto [row, is_new] = row_of.try_emplace(name, static_cast<uint32_t>(keys.size()));
      if (is_new) keys.push_back({cell(names.text(name))});
      visit(run, launch.call, row->second);
    }
  }
  return keys;
}

}  // namespace

Analysis launches_analysis() {
  return {
      .name = "launches",
      .about =
          "calls that start device work, and the delay from the end of the call to the first device op it "
          "started",
      .aliases = {"cuda_kern_exec_sum", "kernexecsum"},
      .columns = {key_column("name", "name of the call"), count_column("count", "calls that launched a device op"),
                  real_column("cpu_mean_ns", "ns", "mean duration of these calls"),
                  real_column("delay_mean_ns", "ns", "mean delay, 0 where the device op starts before the call ends"),
                  real_column("delay_median_ns", "ns",
                              "median delay; of an even count the mean of the two middle ones"),
                  time_column("delay_max_ns", "longest delay"),
                  count_column("unlinked", "calls of this name without a device op in the profile")},
      .applies = [](const ProfileCounts& counts) { return counts.launched; },
      .row_slices = {{"name"}, visit_launching_calls},
      .fold = fold_of<Launches>};
}

}  // namespace cgpu
