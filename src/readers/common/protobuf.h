// Protocol buffers without a schema: the fields of a message, one after the other.
//
// A message is a sequence of (number, wire type, value). Which numbers mean what, the caller knows. Nothing is copied
// and nothing is allocated; a field costs O(1), reading only its head. Groups (wire types 3 and 4, obsolete) are
// skipped as a whole. Every length is checked against the end of the message; where the bytes are no message the
// iteration ends and `damaged` says so, with the fields before the damage already given out. Encoding: the format's
// public description, "Protocol Buffers: Encoding".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cgpu {

enum class WireType : uint8_t { varint = 0, fixed64 = 1, bytes = 2, group = 3, group_end = 4, fixed32 = 5 };

struct ProtobufField {
  uint32_t number = 0;
  WireType type = WireType::varint;
  uint64_t integer = 0;    // varint, fixed64 and fixed32: the bits
  std::string_view bytes;  // bytes: a text, an embedded message, or packed numbers

  bool is_bytes() const { return type == WireType::bytes; }
  bool is_varint() const { return type == WireType::varint; }
  /// The number whose bits a fixed64 (double) or fixed32 (float) field holds, or the value of a varint; 0 for bytes.
  double number_value() const;
};

class ProtobufMessage {
 public:
  explicit ProtobufMessage(std::string_view bytes) : rest_(bytes) {}

  /// The next field; false at the end, or where the rest is damaged.
  bool next(ProtobufField& field);
  bool damaged() const { return damaged_; }

 private:
  bool fail();
  std::optional<uint64_t> varint();
  std::optional<std::string_view> take(uint64_t size);
  bool read_value(ProtobufField& field);
  bool skip_group(uint32_t number);

  std::string_view rest_;
  bool damaged_ = false;
};

/// The first field of this number that holds bytes; empty if there is none.
std::string_view protobuf_bytes(std::string_view message, uint32_t number);
/// The last varint of this number, which is the one that counts; absent if there is none.
std::optional<uint64_t> protobuf_varint(std::string_view message, uint32_t number);

}  // namespace cgpu
