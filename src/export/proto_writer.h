// Writing protocol buffers without a schema: fields appended to a string, in the order in which they are given.
//
// An embedded message is begun with its number and ended when its fields are written. Its length takes four bytes that
// are filled in at the end (a varint may have leading zero groups), so that nothing is written twice. A message of
// 256 MB or more does not fit. Encoding: the format's public description, "Protocol Buffers: Encoding".
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cgpu {

class ProtoWriter {
 public:
  explicit ProtoWriter(std::string& out) : out_(out) {}

  void varint(uint32_t field, uint64_t value) {
    raw_varint(uint64_t{field} << 3);
    raw_varint(value);
  }
  void integer(uint32_t field, int64_t value) { varint(field, static_cast<uint64_t>(value)); }
  void fixed64(uint32_t field, uint64_t value) {
    raw_varint(uint64_t{field} << 3 | 1);
    char bytes[8];
    for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
    out_.append(bytes, 8);
  }
  void number(uint32_t field, double value) { fixed64(field, std::bit_cast<uint64_t>(value)); }
  void text(uint32_t field, std::string_view value) {
    raw_varint(uint64_t{field} << 3 | 2);
    raw_varint(value.size());
    out_.append(value);
  }

  /// Writes a message into this one: write_fields() appends its fields.
  template <typename WriteFields>
  void message(uint32_t field, WriteFields write_fields) {
    raw_varint(uint64_t{field} << 3 | 2);
    const size_t length_at = out_.size();
    out_.append(4, '\0');
    write_fields();
    size_t length = out_.size() - length_at - 4;
    for (size_t i = 0; i < 4; ++i, length >>= 7) {
      out_[length_at + i] = static_cast<char>((length & 0x7f) | (i < 3 ? 0x80 : 0));
    }
  }

 private:
  void raw_varint(uint64_t value) {
    if (value < 0x80) {
      out_.push_back(static_cast<char>(value));
      return;
    }
    char bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) bytes[size++] = static_cast<char>(value | 0x80);
    bytes[size++] = static_cast<char>(value);
    out_.append(bytes, size);
  }

  std::string& out_;
};

}  // namespace cgpu
