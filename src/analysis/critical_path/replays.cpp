// Tables `replay` and `whatif`: the steps as the graph of dependencies gives them back, unchanged and changed.
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/critical_path/change.h"
#include "analysis/critical_path/periods.h"
#include "analysis/critical_path/replayed_periods.h"
#include "analysis/tables.h"
#include "base/error.h"

namespace cgpu {

namespace {

Cell step_cell(const Period& period) {
  return period.step ? Cell(*period.step) : Cell();
}

Table replay_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  const SessionFacts& whole = facts.whole();
  const DependencyGraph& graph = whole.dependencies();
  const Replay replayed = replay(graph, weights_of(graph));
  for (const Period& period : periods_of_runs(facts)) {
    int64_t edges = 0;
    int64_t unexplained = 0;
    walk_critical_path(graph, replayed, period.last, period.begin,
                       [&](uint32_t, MomentIndex to, int64_t from, int64_t end) {
                         ++edges;
                         unexplained += std::min(graph.delay(to), end - from);
                       });
    table.append({whole.run(period.run).rank, step_cell(period), period.end - period.begin,
                  replayed.times[period.last] - period.begin, edges, unexplained});
  }
  return table;
}

/// What takes the most time on the critical path of a period.
std::string longest_of(ChangedGraph& changed, const ReplayedPeriod& period) {
  std::map<size_t, int64_t> times;
  changed.for_each_part_of_path(period, [&](const EdgePart& part, EdgeKind, int64_t from, int64_t to) {
    times[part.bound_by.number()] += to - from;
  });
  const auto most =
      std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == times.end() ? "" : std::string(BoundBy::name_of(most->first));
}

Table whatif_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  Table table = analysis.empty_table();
  const SessionFacts& whole = facts.whole();
  const Change change = change_of(options);
  ChangedGraph changed(whole, change);
  for (size_t scale = 0; scale < change.scales.size(); ++scale) {
    if (changed.match_counts()[scale] > 0) continue;
    throw Error(
        fmt::format("--scale {}: no device op, class of kernels or host slice has this name (`cgpu table INPUT "
                    "kernels` and `ops` list them; * matches any text)",
                    change.scales[scale].name));
  }
  const std::vector<Period> periods = periods_of_session(facts);
  const std::vector<ReplayedPeriod> changed_periods = ReplayedPeriods(whole, periods).at(changed.replayed().times);
  for (size_t i = 0; i < periods.size(); ++i) {
    const Period& period = periods[i];
    const int64_t measured = period.end - period.begin;
    const int64_t predicted = changed_periods[i].end - changed_periods[i].begin;
    const std::string bound_by = longest_of(changed, changed_periods[i]);
    table.append({whole.run(period.run).rank, step_cell(period), measured, predicted, measured - predicted,
                  percent_of(measured - predicted, measured), bound_by.empty() ? Cell() : Cell(bound_by)});
  }
  return table;
}

}  // namespace

Analysis replay_analysis() {
  return {.name = "replay",
          .about =
              "the steps (or all of the run) as the graph of dependencies reproduces them; unchanged, it reproduces "
              "what was measured",
          .columns = {rank_column(), number_column("step", "number of the iteration; absent where there are none"),
                      time_column("measured_ns", "as recorded"), time_column("replayed_ns", "as replayed"),
                      count_column("edges", "dependencies on the critical path"),
                      time_column("unexplained_ns",
                                  "of the critical path, delays that no dependency of the profile explains")},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .made_of = MadeOf::all_timelines,
          .whole = replay_table};
}

Analysis whatif_analysis() {
  return {.name = "whatif",
          .about =
              "how long the steps would last if some of the work were faster or gone (--scale, --free), or ranks alike "
              "(--rank-as-median, --links-as-best, --stages-as-mean), by replay of the dependencies",
          .columns = {number_column("rank", "that ends the step last"),
                      number_column("step", "number of the iteration; absent where there are none"),
                      time_column("measured_ns", "as recorded"), time_column("predicted_ns", "with the change"),
                      time_column("saved_ns", "the difference"),
                      real_column("saved_pct", "%", "share of the measured time"),
                      key_column("bound_by", "what takes the most time on the critical path then")},
          .options = {kScaleOption, kFreeOption, kRankAsMedianOption, kLinksAsBestOption, kStagesAsMeanOption},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .made_of = MadeOf::all_timelines,
          .whole = whatif_table};
}

}  // namespace cgpu
