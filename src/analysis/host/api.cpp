// Tables `api` and `os_calls`: calls by name. O(n) in the slices, besides sorting the rows.
#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/common/duration_table.h"
#include "analysis/common/merged_names.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// Adds a row for each name of the slices whose kind is wanted.
void append_calls(Table& table, const Session& session, bool (*is_wanted)(SliceKind)) {
  append_duration_columns(table.columns, "calls of this name");

  MergedNames names;
  std::vector<DurationStatistics> calls;
  int64_t whole = 0;
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    names.enter(timeline.names);
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (!is_wanted(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
      const int64_t duration = timeline.slices.duration[slice];
      entry(calls, names.number(timeline.slices.name[slice])).add(duration);
      whole += duration;
    }
  }
  for (StringId number = 0; number < calls.size(); ++number) {
    if (calls[number].count() == 0) continue;
    Row row = {cell(names.text(number))};
    append_durations(row, calls[number], whole);
    table.append(std::move(row));
  }
  sort_most_first(table, "total_ns");
}

}  // namespace

Table api_table(const Session& session, const AnalysisOptions&) {
  Table table{"api", "time in runtime and driver calls by name", {text_column("name", "name of the call")}};
  append_calls(table, session, is_call);
  return table;
}

Table os_calls_table(const Session& session, const AnalysisOptions&) {
  Table table{"os_calls",
              "time in calls of the operating system and the C library by name",
              {text_column("name", "name of the call")}};
  append_calls(table, session, [](SliceKind kind) { return kind == SliceKind::os_call; });
  return table;
}

}  // namespace cgpu
