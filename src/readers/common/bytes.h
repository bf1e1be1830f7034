// Little-endian numbers and texts in the bytes of a file, never read past their end: at offsets (Bytes), or one after
// the other (ByteCursor).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/to_size.h"

namespace cgpu {

static_assert(std::endian::native == std::endian::little, "numbers are little-endian and read as they are");

/// The number at an address, which need not be aligned.
template <typename Number>
Number little_endian_at(const char* at) {
  Number value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// A number of at most 8 bytes.
inline uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

/// The fields of one structure, which has been checked to lie in the file, by their offset in it. They may be
/// unaligned.
class Fields {
 public:
  explicit Fields(const char* at) : at_(at) {}
  uint8_t u8(size_t offset) const { return little_endian_at<uint8_t>(at_ + offset); }
  uint16_t u16(size_t offset) const { return little_endian_at<uint16_t>(at_ + offset); }
  uint32_t u32(size_t offset) const { return little_endian_at<uint32_t>(at_ + offset); }
  uint64_t u64(size_t offset) const { return little_endian_at<uint64_t>(at_ + offset); }
  double f64(size_t offset) const { return little_endian_at<double>(at_ + offset); }

 private:
  const char* at_;
};

/// An array as the file describes it.
struct Array {
  uint64_t offset = 0;
  uint64_t count = 0;
  uint64_t stride = 0;

  uint64_t operator[](uint64_t i) const { return offset + i * stride; }
};

/// A file, or a part of one, whose fields are at offsets that it says itself.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  uint64_t size() const { return bytes_.size(); }
  bool holds(uint64_t offset, uint64_t size) const { return offset <= bytes_.size() && size <= bytes_.size() - offset; }
  /// The structure at `offset`; none where it does not lie in the file.
  std::optional<Fields> fields(uint64_t offset, uint64_t size) const {
    if (!holds(offset, size)) return std::nullopt;
    return Fields(bytes_.data() + offset);
  }
  /// The structure at `offset`, which the caller knows to lie in the file.
  Fields known_fields(uint64_t offset) const { return Fields(bytes_.data() + offset); }
  /// A number of fixed size; 0 where it does not lie in the file.
  template <typename Number>
  Number number(uint64_t offset) const {
    return holds(offset, sizeof(Number)) ? little_endian_at<Number>(bytes_.data() + offset) : Number{};
  }
  /// `size` bytes; "" where they do not lie in the file.
  std::string_view part(uint64_t offset, uint64_t size) const {
    return holds(offset, size) ? bytes_.substr(to_size(offset), to_size(size)) : std::string_view();
  }
  /// The text that ends with a zero byte; none where it does not end in the file.
  std::optional<std::string_view> text(uint64_t offset) const {
    if (offset >= bytes_.size()) return std::nullopt;
    const size_t end = bytes_.find('\0', to_size(offset));
    if (end == std::string_view::npos) return std::nullopt;
    return bytes_.substr(to_size(offset), to_size(end - offset));
  }
  /// The elements of an array that lie in the file; none where the stride is too small for what is in it.
  Array clip(Array array, uint64_t least_stride) const {
    if (array.count == 0) return array;
    if (array.stride < least_stride || !holds(array.offset, least_stride)) return {array.offset, 0, array.stride};
    array.count = std::min(array.count, (bytes_.size() - array.offset - least_stride) / array.stride + 1);
    return array;
  }

 private:
  std::string_view bytes_;
};

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
    const std::string_view number = bytes(sizeof(Number));
    return failed_ ? Number{} : little_endian_at<Number>(number.data());
  }
  /// A number in groups of seven bits (ULEB128).
  uint64_t unsigned_groups() { return groups(false); }
  int64_t signed_groups() { return static_cast<int64_t>(groups(true)); }
  /// A text up to its zero byte.
  std::string_view text() {
    const std::optional<std::string_view> found = failed_ ? std::nullopt : Bytes(bytes_).text(at_);
    failed_ = !found;
    if (found) at_ += found->size() + 1;
    return found.value_or(std::string_view());
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

}  // namespace cgpu
