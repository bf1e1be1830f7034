#include "analysis/findings/launched_grids.h"

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "model/argument_reader.h"

namespace cgpu {

std::optional<LaunchedGrids> launched_grids(const Run& run, std::optional<int32_t> device) {
  constexpr int64_t kCompared = 32;
  const Timeline& t = run.timeline;
  LaunchedGrids work;
  std::vector<StringId> names;
  std::vector<uint64_t> sources;
  for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
    if (t.device_ops.kind[op] != OpKind::compute || (device && t.device_ops.device[op] != *device)) return;
    const StringId name = t.slices.name[slice];
    if (work[name].launches++ >= kCompared) return;
    names.push_back(name);
    sources.push_back(t.slices.source[slice]);
  });
  bool are_known = true;
  ArgumentReader reader(run.arguments.get(), 0, launch_shape_keys());
  reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
    const auto shape = launch_shape(arguments);
    are_known = are_known && shape.has_value();
    if (shape) ++work[names[i]].shapes[*shape];
  });
  return are_known ? std::optional(std::move(work)) : std::nullopt;
}

std::optional<int64_t> threads_of_launch(const Run& run) {
  const std::optional<LaunchedGrids> work = launched_grids(run);
  if (!work) return {};
  double all = 0;
  int64_t launches_of_all = 0;
  for (const auto& [name, kernel] : *work) {
    double threads = 0, launches = 0;
    for (const auto& [shape, count] : kernel.shapes) {
      double of_one = 1;
      for (const uint32_t size : shape.grid) of_one *= size;
      for (const uint32_t size : shape.block) of_one *= size;
      threads += of_one * static_cast<double>(count);
      launches += static_cast<double>(count);
    }
    if (launches > 0) all += threads / launches * static_cast<double>(kernel.launches);
    launches_of_all += kernel.launches;
  }
  if (all == 0) return {};
  return std::llround(all / static_cast<double>(launches_of_all));
}

}  // namespace cgpu
