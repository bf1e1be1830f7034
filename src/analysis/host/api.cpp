// Tables `api` and `os_calls`: calls by name. O(n) in the slices, besides sorting the rows.
#include "analysis/common/columns.h"
#include "analysis/common/duration_table.h"
#include "analysis/common/groups_by_name.h"
#include "analysis/common/slices_by_name.h"
#include "analysis/device/device_ops.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

bool is_os_call(SliceKind kind) {
  return kind == SliceKind::os_call;
}

/// A row for each name of the slices whose kind is wanted.
template <bool (*kIsWanted)(SliceKind)>
class Calls {
 public:
  Calls(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    const Timeline& timeline = run.timeline();
    calls_.enter(timeline.names);
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (!kIsWanted(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
      calls_.of(timeline.slices.name[slice]).add(timeline.slices.duration[slice]);
    }
  }
  void combine(Calls&& other) { calls_.combine(std::move(other.calls_)); }
  void append_rows(Table& table, const RunIndex&) {
    int64_t whole = 0;
    calls_.for_each([&](std::string_view, const DurationStatistics& durations) { whole += durations.total(); });
    calls_.for_each([&](std::string_view name, const DurationStatistics& durations) {
      if (durations.count() == 0) return;
      Row row = {cell(name)};
      append_durations(row, durations, whole);
      table.append(row);
    });
    sort_most_first(table, "total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(calls_);
  }

 private:
  GroupsByName<DurationStatistics> calls_;
};

/// What both tables declare alike.
template <bool (*kIsWanted)(SliceKind)>
Analysis calls_analysis(std::string name, std::string about) {
  Analysis analysis{.name = std::move(name),
                    .about = std::move(about),
                    .columns = {key_column("name", "name of the call")},
                    .row_slices = {{"name"},
                                   [](const SessionFacts& facts, const TableOptions&, const RowSlices::Visit& visit) {
                                     return visit_slices_by_name(facts.session(), kIsWanted, nullptr, visit);
                                   }},
                    .fold = fold_of<Calls<kIsWanted>>};
  append_duration_columns(analysis.columns, "calls of this name");
  return analysis;
}

}  // namespace

Analysis api_analysis() {
  Analysis analysis = calls_analysis<is_call>("api", "time in runtime and driver calls by name");
  analysis.aliases = {"cuda_api_sum", "cudaapisum"};
  analysis.applies = [](const ProfileCounts& counts) { return counts.calls() > 0; };
  return analysis;
}

Analysis os_calls_analysis() {
  Analysis analysis =
      calls_analysis<is_os_call>("os_calls", "time in calls of the operating system and the C library by name");
  analysis.aliases = {"osrt_sum", "osrtsum", "syscall_sum"};
  analysis.applies = [](const ProfileCounts& counts) { return counts.of({SliceKind::os_call}) > 0; };
  return analysis;
}

}  // namespace cgpu
