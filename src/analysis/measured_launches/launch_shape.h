// Grid and block of a kernel launch, from the arguments that profilers give them in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/argument_reader.h"

namespace cgpu {

struct LaunchShape {
  std::array<uint32_t, 3> grid{};   // blocks
  std::array<uint32_t, 3> block{};  // threads
  auto operator<=>(const LaunchShape&) const = default;
  template <typename Archive>
  void members(Archive& archive) {
    archive(grid, block);
  }
};

/// The names of these arguments.
std::vector<std::string> launch_shape_keys();

/// From "grid": [x, y, z] and "block": [x, y, z] (PyTorch), or gridX ... blockZ (Nsight Systems); none where one of the
/// six numbers is missing.
std::optional<LaunchShape> launch_shape(std::span<const ArgumentView> arguments);

}  // namespace cgpu
