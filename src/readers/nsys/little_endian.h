// Numbers in bytes, the lowest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cgpu::nsys {

/// Of at most 8 bytes.
inline uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

}  // namespace cgpu::nsys
