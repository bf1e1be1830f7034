// Tables `device_ops` and `activities`: what ran on devices, and beside it the calls, by category and name; and
// `kernel_grids`: kernels by name and shape of their grid. O(n) in the slices, besides sorting the rows; kernel_grids
// reads the arguments of every kernel from the profile again.
#include <array>
#include <map>
#include <tuple>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/common/duration_table.h"
#include "analysis/measured_launches/launch_shape.h"
#include "analysis/common/merged_names.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// Statistics by category and name.
class Activities {
 public:
  void enter(const StringPool& pool) {
    for (auto& [category, activity] : categories_) activity.names.enter(pool);
    pool_ = &pool;
  }
  void add(const std::string& category, StringId name, int64_t duration) {
    auto [at, added] = categories_.try_emplace(category);
    Category& activity = at->second;
    if (added) activity.names.enter(*pool_);
    entry(activity.durations, activity.names.number(name)).add(duration);
    whole_ += duration;
  }
  void append_to(Table& table) const {
    for (const auto& [category, activity] : categories_) {
      for (StringId number = 0; number < activity.durations.size(); ++number) {
        if (activity.durations[number].count() == 0) continue;
        Row row = {category, cell(activity.names.text(number))};
        append_durations(row, activity.durations[number], whole_);
        table.append(std::move(row));
      }
    }
    sort_most_first(table, "total_ns");
  }

 private:
  struct Category {
    MergedNames names;
    std::vector<DurationStatistics> durations;
  };
  std::map<std::string, Category> categories_;
  const StringPool* pool_ = nullptr;
  int64_t whole_ = 0;
};

void add_device_ops(Activities& activities, const Timeline& timeline) {
  for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
    const SliceKind kind = timeline.kind(slice);
    const bool memory = kind == SliceKind::memcpy || kind == SliceKind::memset;
    activities.add(memory ? "memory" : "kernel", timeline.slices.name[slice], timeline.slices.duration[slice]);
  });
}

std::vector<Column> activity_columns(const std::string& categories) {
  std::vector<Column> columns = {text_column("category", categories), text_column("name", "full name")};
  append_duration_columns(columns, "events of this category and name");
  return columns;
}

Cell shape_cell(const std::optional<LaunchShape>& shape, std::array<uint32_t, 3> LaunchShape::*part) {
  if (!shape) return {};
  const std::array<uint32_t, 3>& size = (*shape).*part;
  return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " + std::to_string(size[2]);
}

}  // namespace

Table device_ops_table(const Session& session, const AnalysisOptions&) {
  Table table{"device_ops", "time of all device ops by name", activity_columns("kernel or memory")};
  Activities activities;
  for (const Run& run : session.runs) {
    activities.enter(run.timeline.names);
    add_device_ops(activities, run.timeline);
  }
  activities.append_to(table);
  return table;
}

Table activities_table(const Session& session, const AnalysisOptions&) {
  Table table{"activities", "time of calls and device ops by name", activity_columns("call, kernel or memory")};
  Activities activities;
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    activities.enter(timeline.names);
    add_device_ops(activities, timeline);
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (!is_call(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
      activities.add("call", timeline.slices.name[slice], timeline.slices.duration[slice]);
    }
  }
  activities.append_to(table);
  return table;
}

Table kernel_grids_table(const Session& session, const AnalysisOptions&) {
  Table table{"kernel_grids", "time of kernels by name and size of their launch"};
  table.columns = {text_column("name", "full demangled name"),
                   text_column("grid", "blocks in each direction; absent where not recorded"),
                   text_column("block", "threads of a block in each direction; absent where not recorded")};
  append_duration_columns(table.columns, "kernels of this name and size");

  MergedNames names;
  std::map<std::pair<StringId, std::optional<LaunchShape>>, DurationStatistics> kernels;
  int64_t whole = 0;
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    names.enter(timeline.names);
    std::vector<SliceIndex> slices;
    std::vector<uint64_t> sources;
    for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
      const SliceKind kind = timeline.kind(slice);
      if (kind == SliceKind::memcpy || kind == SliceKind::memset) return;
      slices.push_back(slice);
      sources.push_back(timeline.slices.source[slice]);
    });
    ArgumentReader(run.arguments.get()).for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
      const StringId name = names.number(timeline.slices.name[slices[i]]);
      kernels[{name, launch_shape(arguments)}].add(timeline.slices.duration[slices[i]]);
      whole += timeline.slices.duration[slices[i]];
    });
  }
  for (const auto& [key, durations] : kernels) {
    const auto& [name, shape] = key;
    Row row = {cell(names.text(name)), shape_cell(shape, &LaunchShape::grid), shape_cell(shape, &LaunchShape::block)};
    append_durations(row, durations, whole);
    table.append(std::move(row));
  }
  sort_most_first(table, "total_ns");
  return table;
}

}  // namespace cgpu
