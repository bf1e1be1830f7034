// The arguments of kernels whose profile says how large their grids and blocks are, and nothing else that is shown.
// Kept in memory: there are few different sizes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "model/arguments.h"

namespace cgpu {

struct LaunchSizes {
  std::array<int64_t, 3> grid{};   // blocks
  std::array<int64_t, 3> block{};  // threads
  auto operator<=>(const LaunchSizes&) const = default;
};

/// Of grids that count work items: blocks are what they have of these. None where one of the sizes is not known.
std::optional<LaunchSizes> sizes_of_items(const std::array<int64_t, 3>& items,
                                          const std::array<int64_t, 3>& items_of_block);

class LaunchArguments : public ArgumentSource {
 public:
  /// Slices::source of a kernel of these sizes.
  uint64_t source_of(const LaunchSizes& sizes);

 private:
  void read_events(std::span<const uint64_t> sources, ArgumentBatch& batch) override;

  std::vector<LaunchSizes> all_;  // by source
  std::map<LaunchSizes, uint64_t> sources_;
};

}  // namespace cgpu
