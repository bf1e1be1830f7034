#include "readers/common/launch_arguments.h"

#include <fmt/format.h>

#include <cstddef>

namespace cgpu {

std::optional<LaunchSizes> sizes_of_items(const std::array<int64_t, 3>& items,
                                          const std::array<int64_t, 3>& items_of_block) {
  LaunchSizes sizes{{}, items_of_block};
  for (size_t axis = 0; axis < items.size(); ++axis) {
    if (items[axis] <= 0 || items_of_block[axis] <= 0) return std::nullopt;
    sizes.grid[axis] = items[axis] / items_of_block[axis] + (items[axis] % items_of_block[axis] != 0 ? 1 : 0);
  }
  return sizes;
}

uint64_t LaunchArguments::source_of(const LaunchSizes& sizes) {
  const auto [at, added] = sources_.try_emplace(sizes, all_.size());
  if (added) all_.push_back(sizes);
  return at->second;
}

void LaunchArguments::read_events(std::span<const uint64_t> sources, ArgumentBatch& batch) {
  const auto list = [](const std::array<int64_t, 3>& sizes) {
    return fmt::format("[{}, {}, {}]", sizes[0], sizes[1], sizes[2]);
  };
  for (const uint64_t source : sources) {
    batch.begin_event();
    const LaunchSizes& sizes = all_.at(static_cast<size_t>(source));
    batch.add("grid", list(sizes.grid), true);
    batch.add("block", list(sizes.block), true);
  }
}

}  // namespace cgpu
