// Positions in files and numbers in profiles have 64 bits, sizes in memory those of the machine: 32 in the engine for
// browsers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

namespace cgpu {

/// The same number as a size in memory. Throws std::bad_alloc where no memory is so large.
constexpr size_t to_size(uint64_t number) {
  if (number > std::numeric_limits<size_t>::max()) throw std::bad_alloc();
  return static_cast<size_t>(number);
}

}  // namespace cgpu
