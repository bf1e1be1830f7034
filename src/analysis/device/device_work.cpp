// Tables `device_ops` and `activities`: what ran on devices, and beside it the calls, by category and name; and
// `kernel_grids`: kernels by name and shape of their grid. O(n) in the slices, besides sorting the rows; kernel_grids
// reads the arguments of every kernel from the profile again.
#include <array>
#include <map>
#include <optional>
#include <string>

#include "analysis/common/columns.h"
#include "analysis/common/duration_table.h"
#include "analysis/common/groups_by_name.h"
#include "analysis/device/device_ops.h"
#include "analysis/measured_launches/launch_shape.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

enum class ActivityCategory : uint8_t { call, kernel, memory };
constexpr std::array kCategories = {"call", "kernel", "memory"};

/// Statistics by category and name of the device ops, and of the calls if wanted.
template <bool kWithCalls>
class Activities {
 public:
  Activities(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    const Timeline& timeline = run.timeline();
    for (GroupsByName<DurationStatistics>& names : categories_) names.enter(timeline.names);
    const auto add = [&](ActivityCategory category, SliceIndex slice) {
      categories_[static_cast<size_t>(category)].of(timeline.slices.name[slice]).add(timeline.slices.duration[slice]);
    };
    for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
      const SliceKind kind = timeline.kind(slice);
      const bool moves = kind == SliceKind::memcpy || kind == SliceKind::memset;
      add(moves ? ActivityCategory::memory : ActivityCategory::kernel, slice);
    });
    if constexpr (kWithCalls) {
      for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
        if (is_call(timeline.kind(slice)) && is_plausible(timeline, slice)) add(ActivityCategory::call, slice);
      }
    }
  }
  void combine(Activities&& other) {
    for (size_t category = 0; category < categories_.size(); ++category) {
      categories_[category].combine(std::move(other.categories_[category]));
    }
  }
  void append_rows(Table& table, const RunIndex&) {
    int64_t whole = 0;
    for (const GroupsByName<DurationStatistics>& names : categories_) {
      names.for_each([&](std::string_view, const DurationStatistics& durations) { whole += durations.total(); });
    }
    for (size_t category = 0; category < categories_.size(); ++category) {
      categories_[category].for_each([&](std::string_view name, const DurationStatistics& durations) {
        if (durations.count() == 0) return;
        Row row = {cell(kCategories[category]), cell(name)};
        append_durations(row, durations, whole);
        table.append(row);
      });
    }
    sort_most_first(table, "total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(categories_);
  }

 private:
  std::array<GroupsByName<DurationStatistics>, kCategories.size()> categories_;
};

std::vector<Column> activity_columns(const std::string& categories) {
  std::vector<Column> columns = {key_column("category", categories), key_column("name", "full name")};
  append_duration_columns(columns, "events of this category and name");
  return columns;
}

/// The kernels of one name.
struct KernelGrids {
  std::map<std::optional<LaunchShape>, DurationStatistics> by_shape;

  void combine(KernelGrids&& other) {
    for (auto& [shape, durations] : other.by_shape) by_shape[shape].combine(std::move(durations));
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(by_shape);
  }
};

Cell shape_cell(const std::optional<LaunchShape>& shape, std::array<uint32_t, 3> LaunchShape::*part) {
  if (!shape) return {};
  const std::array<uint32_t, 3>& size = (*shape).*part;
  return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " + std::to_string(size[2]);
}

class GridsOfKernels {
 public:
  GridsOfKernels(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    const Timeline& timeline = run.timeline();
    kernels_.enter(timeline.names);
    std::vector<SliceIndex> slices;
    std::vector<uint64_t> sources;
    for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
      const SliceKind kind = timeline.kind(slice);
      if (kind == SliceKind::memcpy || kind == SliceKind::memset) return;
      slices.push_back(slice);
      sources.push_back(timeline.slices.source[slice]);
    });
    ArgumentReader(run.run().arguments.get()).for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
      KernelGrids& grids = kernels_.of(timeline.slices.name[slices[i]]);
      grids.by_shape[launch_shape(arguments)].add(timeline.slices.duration[slices[i]]);
    });
  }
  void combine(GridsOfKernels&& other) { kernels_.combine(std::move(other.kernels_)); }
  void append_rows(Table& table, const RunIndex&) {
    int64_t whole = 0;
    kernels_.for_each([&](std::string_view, const KernelGrids& grids) {
      for (const auto& [shape, durations] : grids.by_shape) whole += durations.total();
    });
    kernels_.for_each([&](std::string_view name, const KernelGrids& grids) {
      for (const auto& [shape, durations] : grids.by_shape) {
        Row row = {cell(name), shape_cell(shape, &LaunchShape::grid), shape_cell(shape, &LaunchShape::block)};
        append_durations(row, durations, whole);
        table.append(row);
      }
    });
    sort_most_first(table, "total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(kernels_);
  }

 private:
  GroupsByName<KernelGrids> kernels_;
};

}  // namespace

Analysis device_ops_analysis() {
  return {.name = "device_ops",
          .about = "time of all device ops by name",
          .aliases = {"cuda_gpu_sum", "gpusum"},
          .columns = activity_columns("kernel or memory"),
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .fold = fold_of<Activities<false>>};
}

Analysis activities_analysis() {
  return {.name = "activities",
          .about = "time of calls and device ops by name",
          .aliases = {"cuda_api_gpu_sum", "apigpusum"},
          .columns = activity_columns("call, kernel or memory"),
          .applies = [](const ProfileCounts& counts) { return counts.device_ops + counts.calls() > 0; },
          .fold = fold_of<Activities<true>>};
}

Analysis kernel_grids_analysis() {
  Analysis analysis{.name = "kernel_grids",
                    .about = "time of kernels by name and size of their launch",
                    .aliases = {"cuda_gpu_kern_gb_sum", "gpukerngbsum"},
                    .columns = {key_column("name", "full demangled name"),
                                key_column("grid", "blocks in each direction; absent where not recorded"),
                                key_column("block", "threads of a block in each direction; absent where not recorded")},
                    .applies = [](const ProfileCounts& counts) { return counts.kernels() > 0; },
                    .fold = fold_of<GridsOfKernels>};
  append_duration_columns(analysis.columns, "kernels of this name and size");
  return analysis;
}

}  // namespace cgpu
