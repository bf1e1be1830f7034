// Protocol buffers without a schema: the fields of a message, one after the other. All readers decode them with this.
//
// A message is a sequence of (number, wire type, value). Which numbers mean what, the caller knows. Nothing is copied
// and nothing is allocated; a field costs O(1), reading only its head. Groups (wire types 3 and 4, obsolete) are
// skipped as a whole. Every length is checked against the end of the message; where the bytes are no message the
// iteration ends and `damaged` says so, with the fields before the damage already given out. Encoding: the format's
// public description, "Protocol Buffers: Encoding". Files that do not fit into memory: protobuf_stream.h.
//
// Not protozero, which Debian has: it throws where bytes are no message, so that 30 MB of damaged messages took it 7.4
// s and take this 0.1 s; it refuses groups; and what would be left here to catch and skip is as long as this is. On
// whole messages it is up to 3 ns a field faster, which is 0 to 5 % of reading a file.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace cgpu {

enum class WireType : uint8_t { varint = 0, fixed64 = 1, bytes = 2, group = 3, group_end = 4, fixed32 = 5 };

/// The longest varint, in bytes.
inline constexpr size_t kLongestVarint = 10;

/// take_varint for a varint of more than one byte.
std::optional<uint64_t> take_long_varint(std::string_view& bytes);
/// Takes a varint off the front of `bytes`; absent where it ends neither in them nor within ten bytes.
inline std::optional<uint64_t> take_varint(std::string_view& bytes) {
  const auto first = static_cast<unsigned char>(bytes.empty() ? 0x80 : bytes.front());
  if (first >= 0x80) return take_long_varint(bytes);
  bytes.remove_prefix(1);
  return first;
}

/// What a field begins with.
struct ProtobufTag {
  uint32_t number = 0;
  WireType type = WireType::varint;

  bool operator==(const ProtobufTag&) const = default;
};
/// Takes a tag off the front of `bytes`; absent where there is none. The type may be one that does not exist.
inline std::optional<ProtobufTag> take_tag(std::string_view& bytes) {
  constexpr uint32_t kLargestNumber = (1U << 29) - 1;
  const auto tag = take_varint(bytes);
  if (!tag || *tag >> 3 == 0 || *tag >> 3 > kLargestNumber) return std::nullopt;
  return ProtobufTag{static_cast<uint32_t>(*tag >> 3), static_cast<WireType>(*tag & 7)};
}

/// A number that is written as sint32 or sint64.
constexpr int64_t from_zigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

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
  bool read_value(ProtobufField& field);
  bool skip_group(uint32_t number);

  std::string_view rest_;
  bool damaged_ = false;
};

/// The first field of this number that holds bytes; empty if there is none.
std::string_view protobuf_bytes(std::string_view message, uint32_t number);
/// The last varint of this number, which is the one that counts; absent if there is none.
std::optional<uint64_t> protobuf_varint(std::string_view message, uint32_t number);

/// Calls use(value) for each varint of a repeated field, packed or one by one, up to the first that is damaged.
template <typename Use>
void each_varint(const ProtobufField& field, Use use) {
  if (!field.is_bytes()) return use(field.integer);
  for (std::string_view rest = field.bytes; !rest.empty();) {
    const auto value = take_varint(rest);
    if (!value) return;
    use(*value);
  }
}
/// The same for numbers of eight bytes.
template <typename Use>
void each_fixed64(const ProtobufField& field, Use use) {
  if (!field.is_bytes()) return use(field.integer);
  for (size_t at = 0; at + 8 <= field.bytes.size(); at += 8) {
    uint64_t value = 0;
    std::memcpy(&value, field.bytes.data() + at, sizeof value);
    use(value);
  }
}

}  // namespace cgpu
