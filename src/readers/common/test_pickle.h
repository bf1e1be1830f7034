// Writes pickles for tests: values that are put together from the inside out.
#pragma once

#include <cstdint>
#include <string>

namespace cgpu::test {

inline std::string little_endian(uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}
inline std::string text(const std::string& value) {
  return "X" + little_endian(value.size(), 4) + value;
}
inline std::string number(int64_t value) {
  return "\x8a\x08" + little_endian(static_cast<uint64_t>(value), 8);
}
inline std::string list(const std::string& elements) {
  return "](" + elements + "e";
}
inline std::string dictionary(const std::string& entries) {
  return "}(" + entries + "u";
}
inline std::string pickled(const std::string& value) {
  return "\x80\x04" + value + ".";
}

}  // namespace cgpu::test
