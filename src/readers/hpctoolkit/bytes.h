// The bytes of a database file, read field by field, never past their end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/to_size.h"

namespace cgpu::hpctoolkit {

static_assert(std::endian::native == std::endian::little, "the files are little-endian and read as they are");

/// The fields of one structure, which has been checked to lie in the file, by their offset in it. They may be
/// unaligned.
class Fields {
 public:
  explicit Fields(const char* at) : at_(at) {}
  uint8_t u8(size_t offset) const { return get<uint8_t>(offset); }
  uint16_t u16(size_t offset) const { return get<uint16_t>(offset); }
  uint32_t u32(size_t offset) const { return get<uint32_t>(offset); }
  uint64_t u64(size_t offset) const { return get<uint64_t>(offset); }
  double f64(size_t offset) const { return get<double>(offset); }

 private:
  template <typename T>
  T get(size_t offset) const {
    T value;
    std::memcpy(&value, at_ + offset, sizeof value);
    return value;
  }
  const char* at_;
};

/// An array as the file describes it.
struct Array {
  uint64_t offset = 0;
  uint64_t count = 0;
  uint64_t stride = 0;

  uint64_t operator[](uint64_t i) const { return offset + i * stride; }
};

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
  /// The text that ends with a zero byte; none at offset 0 or where it does not end in the file.
  std::optional<std::string_view> text(uint64_t offset) const {
    if (offset == 0 || offset >= bytes_.size()) return std::nullopt;
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

}  // namespace cgpu::hpctoolkit
