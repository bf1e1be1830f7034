// Numbers and texts one after the other, never past the end of the bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/to_size.h"

namespace cgpu::ncu {

static_assert(std::endian::native == std::endian::little, "numbers are little-endian and read as they are");

/// Where the bytes end before a number does, it and all that follow are 0 and `failed` says so.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes, uint64_t at = 0) : bytes_(bytes), at_(at), failed_(at > bytes.size()) {}

  uint64_t at() const { return at_; }
  bool failed() const { return failed_; }
  bool at_end() const { return failed_ || at_ == bytes_.size(); }
  uint64_t left() const { return failed_ ? 0 : bytes_.size() - at_; }

  /// A number of fixed size.
  template <typename Number>
  Number take() {
    Number value{};
    if (left() < sizeof value) {
      failed_ = true;
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  /// A number in groups of seven bits (ULEB128).
  uint64_t unsigned_groups() { return groups(false); }
  int64_t signed_groups() { return static_cast<int64_t>(groups(true)); }
  /// A text up to its zero byte.
  std::string_view text() {
    const size_t end = failed_ ? std::string_view::npos : bytes_.find('\0', to_size(at_));
    if (end == std::string_view::npos) {
      failed_ = true;
      return {};
    }
    const std::string_view found = bytes_.substr(to_size(at_), end - to_size(at_));
    at_ = end + 1;
    return found;
  }
  /// The next `size` bytes.
  std::string_view bytes(uint64_t size) {
    if (left() < size) {
      failed_ = true;
      return {};
    }
    at_ += size;
    return bytes_.substr(to_size(at_ - size), to_size(size));
  }

 private:
  uint64_t groups(bool with_sign) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto group = take<uint8_t>();
      if (shift < 64) value |= uint64_t{group & 0x7FU} << shift;
      if ((group & 0x80U) != 0) continue;
      if (with_sign && (group & 0x40U) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return value;
    }
  }

  std::string_view bytes_;
  uint64_t at_ = 0;
  bool failed_ = false;
};

}  // namespace cgpu::ncu
