// Table `idle`: what the launching host thread did during each gap of a device. O(n log n) in the slices, O(n) where
// they come sorted. The test compares it with finding the cause of every idle nanosecond by looking at all slices.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/listed_values.h"
#include "analysis/idle/session_idle.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// The parts of gaps that have one cause.
struct Idle {
  int64_t count = 0;  // gaps with such a part
  int64_t total_ns = 0;
  int64_t max_ns = 0;
};

std::array<Idle, kIdleCauses> idle_of(SessionIdle& gaps, size_t run, const std::vector<OpIndex>& ops) {
  std::array<Idle, kIdleCauses> idle;
  gaps.for_each_gap(run, ops, [&](const IdleGap& gap) {
    for (const IdleCause cause : gap.causes) {
      const int64_t time = gap.times[static_cast<size_t>(cause)];
      Idle& of_cause = idle[static_cast<size_t>(cause)];
      ++of_cause.count;
      of_cause.total_ns += time;
      of_cause.max_ns = std::max(of_cause.max_ns, time);
    }
  });
  return idle;
}

void append_causes(const RunInSession& run, Table& table) {
  for (const auto& [device, ops] : ops_by_device(run.timeline())) {
    const std::array<Idle, kIdleCauses> idle = idle_of(run.facts.idle(), run.index, ops);
    const int64_t whole = std::accumulate(idle.begin(), idle.end(), int64_t{0},
                                          [](int64_t sum, const Idle& cause) { return sum + cause.total_ns; });
    std::vector<size_t> causes;
    for (size_t cause = 0; cause < idle.size(); ++cause) {
      if (idle[cause].count > 0) causes.push_back(cause);
    }
    std::ranges::stable_sort(causes, [&](size_t a, size_t b) { return idle[a].total_ns > idle[b].total_ns; });
    for (const size_t cause : causes) {
      const auto& [count, total_ns, max_ns] = idle[cause];
      table.append({run.run().rank, int64_t{device}, cell(text_of(static_cast<IdleCause>(cause))), count, total_ns,
                    max_ns, percent_of(total_ns, whole)});
    }
  }
}

}  // namespace

Analysis idle_analysis() {
  return {
      .name = "idle",
      .about =
          "why each device was idle: what the thread that launched the next op did; the rows of a device "
          "add up to its idle_ns",
      .aliases = {"gpu_gaps"},
      .columns = {rank_column(), device_column(),
                  key_column("cause", "what the time went to: " + listed_values(IdleCause::unknown) +
                                          "; unknown where the launch is not in the profile"),
                  count_column("count", "gaps with a part of this cause"),
                  time_column("total_ns", "sum of these parts"), time_column("max_ns", "longest such part of one gap"),
                  real_column("pct", "%", "share of the idle time of the device")},
      .applies = [](const ProfileCounts& counts) { return counts.device_ops > 1; },
      .made_of = MadeOf::runs_and_waits,
      .fold = fold_of<RowsByRun<append_causes>>};
}

}  // namespace cgpu
