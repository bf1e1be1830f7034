// Table `idle_hosts`: what on the host the idle time of each device is due to. O(n log n) in the slices, O(n) where
// they come sorted. The test compares it with finding the culprit of every idle nanosecond by looking at all slices.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/idle/culprit_names.h"
#include "analysis/idle/session_idle.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// The parts of gaps that have one cause and culprit.
struct Blamed {
  int64_t count = 0;  // gaps with such a part
  int64_t total_ns = 0;
  int64_t max_ns = 0;
  int64_t of_gap = 0;  // of the gap that is looked at
};

void append_culprits(const RunInSession& run, Table& table) {
  CulpritNames names;
  names.enter(ops_in_full_run(run.session(), run.index, {}).timeline);
  for (const auto& [device, ops] : ops_by_device(run.timeline())) {
    std::map<std::pair<IdleCause, StringId>, Blamed> culprits;
    std::vector<Blamed*> in_gap;
    int64_t idle_ns = 0;
    run.facts.idle().for_each_gap(run.index, ops, [&](const IdleGap& gap, const std::vector<IdlePart>& parts) {
      idle_ns += gap.time.end - gap.time.begin;
      in_gap.clear();
      for (const IdlePart& part : parts) {
        const StringId name = names.number(part);
        Blamed& blamed = culprits[{part.cause, name}];
        if (blamed.of_gap == 0) in_gap.push_back(&blamed);
        blamed.of_gap += part.time.end - part.time.begin;
      }
      for (Blamed* blamed : in_gap) {
        ++blamed->count;
        blamed->total_ns += blamed->of_gap;
        blamed->max_ns = std::max(blamed->max_ns, std::exchange(blamed->of_gap, 0));
      }
    });
    std::vector<std::pair<std::pair<IdleCause, StringId>, Blamed>> rows(culprits.begin(), culprits.end());
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.second.total_ns > b.second.total_ns; });
    for (const auto& [key, blamed] : rows) {
      table.append({run.run().rank, int64_t{device}, cell(text_of(key.first)), cell(names.text(key.second)),
                    blamed.count, blamed.total_ns, blamed.max_ns, percent_of(blamed.total_ns, idle_ns)});
    }
  }
}

}  // namespace

Analysis idle_hosts_analysis() {
  return {
      .name = "idle_hosts",
      .about =
          "who is to blame for the idle time of each device: the host frame, op or call that the launching thread was "
          "in; the rows of a cause add up to its row of idle",
      .columns = {rank_column(), device_column(), key_column("cause", "as in idle"),
                  key_column("culprit",
                             "the innermost slice of the host that is responsible, or what was waited for; in brackets "
                             "why none is known"),
                  count_column("count", "gaps with such a part"), time_column("total_ns", "sum of these parts"),
                  time_column("max_ns", "longest such part of one gap"),
                  real_column("pct", "%", "share of the idle time of the device")},
      .applies = [](const ProfileCounts& counts) { return counts.device_ops > 1; },
      .made_of = MadeOf::runs_and_waits,
      .fold = fold_of<RowsByRun<append_culprits>>};
}

}  // namespace cgpu
