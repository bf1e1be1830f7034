// Writes numbers into the binary answers of the viewer, little-endian.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace cgpu {

static_assert(std::endian::native == std::endian::little, "the viewer's tiles are little-endian");

template <typename T>
void append_number(std::string& out, T value) {
  static_assert(std::is_arithmetic_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <typename T>
void append_column(std::string& out, const std::vector<T>& column) {
  static_assert(std::is_arithmetic_v<T>);
  out.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(T));
}
/// The four characters of a magic number as a number.
constexpr uint32_t magic(const char (&text)[5]) {
  return static_cast<uint32_t>(text[0]) | static_cast<uint32_t>(text[1]) << 8 | static_cast<uint32_t>(text[2]) << 16 |
         static_cast<uint32_t>(text[3]) << 24;
}
/// Appends zero bytes up to a multiple of 8.
inline void pad_to_8(std::string& out) {
  out.append((8 - out.size() % 8) % 8, '\0');
}

}  // namespace cgpu
