// Writes protocol buffers without a schema, field by field.
//
// The length of an embedded message takes four bytes, which are filled in when its fields have been written (a varint
// may be padded with zero groups), so that nothing is written twice; a message must be smaller than 256 MB. Encoding:
// the public description of the format, "Protocol Buffers: Encoding".
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cgpu {

class ProtoWriter {
 public:
  std::string_view bytes() const { return {bytes_.data(), size_}; }
  /// Forgets what was written and keeps the memory.
  void clear() { size_ = 0; }

  void varint(uint32_t field, uint64_t value) {
    char* const at = room(2 * kLongestVarint);
    used(put(put(at, uint64_t{field} << 3), value));
  }
  void integer(uint32_t field, int64_t value) { varint(field, static_cast<uint64_t>(value)); }
  void fixed64(uint32_t field, uint64_t value) {
    char* const at = put(room(kLongestVarint + 8), uint64_t{field} << 3 | 1);
    for (size_t i = 0; i < 8; ++i) at[i] = static_cast<char>(value >> (8 * i));
    used(at + 8);
  }
  void number(uint32_t field, double value) { fixed64(field, std::bit_cast<uint64_t>(value)); }
  void text(uint32_t field, std::string_view value) {
    char* const at = room(2 * kLongestVarint + value.size());
    char* const to = put(put(at, uint64_t{field} << 3 | 2), value.size());
    if (!value.empty()) std::memcpy(to, value.data(), value.size());
    used(to + value.size());
  }

  /// Writes a message into this one: write_fields() appends its fields.
  template <typename WriteFields>
  void message(uint32_t field, WriteFields write_fields) {
    char* const at = put(room(kLongestVarint + 4), uint64_t{field} << 3 | 2);
    used(at + 4);
    const size_t begin = size_;
    write_fields();
    size_t length = size_ - begin;
    for (size_t i = 0; i < 4; ++i, length >>= 7) {
      bytes_[begin - 4 + i] = static_cast<char>((length & 0x7f) | (i < 3 ? 0x80 : 0));
    }
  }

 private:
  static constexpr size_t kLongestVarint = 10;

  /// Where the next `size` bytes go.
  char* room(size_t size) {
    if (bytes_.size() - size_ < size) bytes_.resize(2 * bytes_.size() + size);
    return bytes_.data() + size_;
  }
  void used(const char* end) { size_ = static_cast<size_t>(end - bytes_.data()); }

  static char* put(char* at, uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
    *at++ = static_cast<char>(value);
    return at;
  }

  std::string bytes_;  // longer than what was written, because a string is filled when it grows
  size_t size_ = 0;
};

}  // namespace cgpu
