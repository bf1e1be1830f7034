#include "base/positional_reader.h"

#include <bit>

namespace cgpu {

void PositionalReader::fail(const std::string& what) const {
  throw Error(name_, what + " at byte " + std::to_string(at_));
}

uint64_t PositionalReader::longer_number() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ == bytes_.size()) fail("ends too early");
    const auto byte = static_cast<uint8_t>(bytes_[at_++]);
    if (shift == 63 && byte > 1) break;
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  fail("holds a number of more than 64 bits");
}

size_t PositionalReader::length() {
  const uint64_t length = number();
  if (length > bytes_.size() - at_) fail("promises more than it holds");
  return static_cast<size_t>(length);
}

void PositionalReader::read(double& value) {
  if (bytes_.size() - at_ < 8) fail("ends too early");
  uint64_t bits = 0;
  for (int byte = 0; byte < 8; ++byte) bits |= uint64_t{static_cast<uint8_t>(bytes_[at_++])} << (8 * byte);
  value = std::bit_cast<double>(bits);
}

void PositionalReader::read(std::string& text) {
  const size_t size = length();
  text = bytes_.substr(at_, size);
  at_ += size;
}

}  // namespace cgpu
