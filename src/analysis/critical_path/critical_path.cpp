// Table `critical_path`: what bounds the steps of a session. O(moments) besides the graph; the parts of the path add up
// to the steps, to the nanosecond.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/critical_path/change.h"
#include "analysis/critical_path/measured_path.h"
#include "analysis/critical_path/path_layers.h"
#include "analysis/critical_path/periods.h"
#include "analysis/critical_path/replayed_periods.h"
#include "analysis/events/shown_slices.h"
#include "analysis/tables.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

const TableOption kByOption{
    .name = "by",
    .kind = TableOption::Kind::choice,
    .fallback = "kind",
    .about = "a row for each kind, or besides for each name of op or call, layer of the model, step, or rank",
    .choices = {"kind", "name", "layer", "step", "rank"}};

struct Share {
  int64_t total_ns = 0;
  int64_t count = 0;
};

Table critical_path_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions& options) {
  Table table = analysis.empty_table();
  const SessionFacts& whole = facts.whole();
  ChangedGraph changed(whole, change_of(options));
  const std::string by = options.text(kByOption);
  std::map<std::pair<size_t, std::string>, Share> shares;
  PathLayers layers(whole);
  int64_t sum = 0;
  const std::vector<Period> periods = periods_of_session(facts);
  const std::vector<ReplayedPeriod> changed_periods = ReplayedPeriods(whole, periods).at(changed.replayed().times);
  for (size_t i = 0; i < periods.size(); ++i) {
    const Period& period = periods[i];
    const auto name_of = [&](const EdgePart& part) -> std::string {
      if (by == "step") return period.step ? std::to_string(*period.step) : "";
      if (by == "layer") return layers.of(part);
      if (by == "rank") return std::to_string(whole.run(part.run).rank);
      if (by != "name" || part.slice == kNone) return "";
      return base_kernel_name(whole.run(part.run).timeline.name(part.slice));
    };
    changed.for_each_part_of_path(changed_periods[i], [&](const EdgePart& part, EdgeKind, int64_t from, int64_t to) {
      Share& share = shares[{part.bound_by.number(), name_of(part)}];
      share.total_ns += to - from;
      ++share.count;
      sum += to - from;
    });
  }
  for (const auto& [key, share] : shares) {
    table.append({cell(BoundBy::name_of(key.first)), key.second.empty() ? Cell() : Cell(key.second), share.total_ns,
                  percent_of(share.total_ns, sum), share.count});
  }
  sort_most_first(table, "total_ns");
  return table;
}

Table critical_path_trace_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  const SessionFacts& whole = facts.whole();
  const ShownSlices shown(facts);
  for_each_part_of_measured_path(
      whole, periods_of_session(facts),
      [&](const Period& period, const EdgePart& part, EdgeKind kind, int64_t from, int64_t to) {
        const Run& run = whole.run(part.run);
        table.append({run.rank, period.step ? Cell(*period.step) : Cell(), shown_time(whole, part.run, from), to - from,
                      cell(part.bound_by.name()), cell(text_of(kind)),
                      part.slice == kNone ? Cell() : cell(run.timeline.name(part.slice)),
                      cell(shown.number(part.run, part.slice))});
      });
  return table;
}

}  // namespace

Analysis critical_path_trace_analysis() {
  return {.name = "critical_path_trace",
          .about = "the critical path itself: its parts in order of time; each begins where the one before it ends",
          .columns = {rank_column(), number_column("step", "number of the iteration; absent where there are none"),
                      moment_column("start_ns", "from the start of the profile"), time_column("duration_ns", "length"),
                      key_column("bound_by", "as in critical_path"),
                      text_column("dependency",
                                  "what had to wait: work of a device, its launch, the op before it in the stream, "
                                  "another stream (event, succession), a wait of the host, a thread, a rank"),
                      text_column("name", "of the device op or call; absent for other time of the host"),
                      shown_slice_column("its")},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .made_of = MadeOf::all_timelines,
          .whole = critical_path_trace_table};
}

Analysis critical_path_analysis() {
  return {
      .name = "critical_path",
      .about =
          "what bounds the run: the longest chain of dependencies through each step (through all of it where there "
          "are no steps); the rows add up to the steps",
      .aliases = {"long_pole"},
      .columns = {key_column("bound_by",
                             "compute, communication or memory: work of a device; kernel_gap: between two ops of a "
                             "stream; else what the host did, as the causes of idle time"),
                  key_column("name",
                             "of the op or call, the layer, the step or the rank, with --by; absent where it has none"),
                  time_column("total_ns", "time on the critical path"),
                  real_column("pct", "%", "share of the critical path"), count_column("count", "parts of the path")},
      .options = {kByOption, kScaleOption, kFreeOption, kRankAsMedianOption, kLinksAsBestOption, kStagesAsMeanOption},
      .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
      .made_of = MadeOf::all_timelines,
      .whole = critical_path_table};
}

}  // namespace cgpu
