// Tables `device_ops` and `activities`: what ran on devices, and beside it the calls, by category and name; and
// `kernel_grids`: kernels by name and shape of their grid. O(n) in the slices, besides sorting the rows; kernel_grids
// reads the arguments of every kernel from the profile again.
#include <array>
#include <map>
#include <tuple>

#include "analysis/columns.h"
#include "analysis/device_ops.h"
#include "analysis/duration_table.h"
#include "analysis/merged_names.h"
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
        table.rows.push_back(std::move(row));
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

/// Three numbers: of "x, y and z" members, or of the JSON array that Kineto writes.
using Shape = std::array<int64_t, 3>;

struct Grid {
  Shape grid{};
  Shape block{};
  bool known = false;
  auto operator<=>(const Grid&) const = default;
};

int64_t first_integer(std::string_view& text) {
  const size_t digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  text.remove_prefix(digit);
  int64_t value = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    if (value < INT64_MAX / 16) value = 10 * value + (text[0] - '0');
    text.remove_prefix(1);
  }
  return value;
}

Grid grid_of(const std::vector<Argument>& arguments) {
  Grid grid;
  for (const Argument& argument : arguments) {
    for (const auto& [prefix, shape] :
         {std::pair{std::string("grid"), &grid.grid}, {std::string("block"), &grid.block}}) {
      if (!argument.key.starts_with(prefix)) continue;
      std::string_view text = argument.value;
      const std::string axis = argument.key.substr(prefix.size());
      if (axis.empty()) {
        for (int64_t& size : *shape) size = first_integer(text);
        grid.known = true;
      } else if (axis == "X" || axis == "Y" || axis == "Z") {
        (*shape)[static_cast<size_t>(axis[0] - 'X')] = first_integer(text);
        grid.known = true;
      }
    }
  }
  return grid;
}

Cell shape_cell(const Shape& shape, bool known) {
  if (!known) return {};
  return std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " + std::to_string(shape[2]);
}

}  // namespace

Table device_ops_table(const Session& session, const AnalysisOptions&) {
  Table table{"device_ops", "time of all device ops by name", activity_columns("kernel or memory"), {}};
  Activities activities;
  for (const Run& run : session.runs) {
    activities.enter(run.timeline.names);
    add_device_ops(activities, run.timeline);
  }
  activities.append_to(table);
  return table;
}

Table activities_table(const Session& session, const AnalysisOptions&) {
  Table table{"activities", "time of calls and device ops by name", activity_columns("call, kernel or memory"), {}};
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
  Table table{"kernel_grids", "time of kernels by name and size of their launch", {}, {}};
  table.columns = {text_column("name", "full demangled name"),
                   text_column("grid", "blocks in each direction; absent where not recorded"),
                   text_column("block", "threads of a block in each direction; absent where not recorded")};
  append_duration_columns(table.columns, "kernels of this name and size");

  MergedNames names;
  std::map<std::pair<StringId, Grid>, DurationStatistics> kernels;
  int64_t whole = 0;
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    names.enter(timeline.names);
    for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
      const SliceKind kind = timeline.kind(slice);
      if (kind == SliceKind::memcpy || kind == SliceKind::memset) return;
      const Grid grid = run.arguments ? grid_of(run.arguments->arguments(timeline.slices.source[slice])) : Grid{};
      kernels[{names.number(timeline.slices.name[slice]), grid}].add(timeline.slices.duration[slice]);
      whole += timeline.slices.duration[slice];
    });
  }
  for (const auto& [key, durations] : kernels) {
    const Grid& grid = key.second;
    Row row = {cell(names.text(key.first)), shape_cell(grid.grid, grid.known), shape_cell(grid.block, grid.known)};
    append_durations(row, durations, whole);
    table.rows.push_back(std::move(row));
  }
  sort_most_first(table, "total_ns");
  return table;
}

}  // namespace cgpu
