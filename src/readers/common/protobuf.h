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

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/to_size.h"

namespace cgpu {

enum class WireType : uint8_t { varint = 0, fixed64 = 1, bytes = 2, group = 3, group_end = 4, fixed32 = 5 };

/// The longest varint, in bytes.
inline constexpr size_t kLongestVarint = 10;

/// A varint and where it ends; null where there is none. Returned by value: the callers' positions stay in registers.
struct Varint {
  const char* end = nullptr;
  uint64_t value = 0;
};

/// The varint at `at`, byte by byte.
Varint varint_of_bytes(const char* at, const char* end);

/// The same, up to eight bytes at once: times and ids of threads are longer than two.
inline Varint long_varint(const char* at, const char* end) {
  static_assert(std::endian::native == std::endian::little, "numbers of fixed size are read as they lie there");
  uint64_t bytes = 0;
  if (static_cast<size_t>(end - at) < sizeof bytes) return varint_of_bytes(at, end);
  std::memcpy(&bytes, at, sizeof bytes);
  const uint64_t ends = ~bytes & 0x8080808080808080;
  if (ends == 0) return varint_of_bytes(at, end);
  bytes &= ends ^ (ends - 1);  // those up to the first that ends it
  bytes = (bytes & 0x7F007F007F007F00) >> 1 | (bytes & 0x007F007F007F007F);
  bytes = (bytes & 0x3FFF00003FFF0000) >> 2 | (bytes & 0x00003FFF00003FFF);
  bytes = (bytes & 0x0FFFFFFF00000000) >> 4 | (bytes & 0x000000000FFFFFFF);
  return {at + std::countr_zero(ends) / 8 + 1, bytes};
}

/// Reads a varint at `at` and moves past it; false where it ends neither before `end` nor within ten bytes.
[[gnu::always_inline]] inline bool read_varint(const char*& at, const char* end, uint64_t& value) {
  const auto byte = [&](size_t place) { return uint64_t{static_cast<unsigned char>(at[place])}; };
  if (at != end && byte(0) < 0x80) {
    value = byte(0);
    at += 1;
    return true;
  }
  if (end - at >= 2 && byte(1) < 0x80) {
    value = (byte(0) & 0x7F) | byte(1) << 7;
    at += 2;
    return true;
  }
  const Varint read = long_varint(at, end);
  if (read.end == nullptr) return false;
  at = read.end;
  value = read.value;
  return true;
}
/// Reads what a field begins with, likewise; false for numbers that no field has. The type may be one that there is
/// not.
[[gnu::always_inline]] inline bool read_tag(const char*& at, const char* end, uint32_t& number, WireType& type) {
  constexpr uint32_t kLargestNumber = (1U << 29) - 1;
  uint64_t tag = 0;
  if (!read_varint(at, end, tag) || tag >> 3 == 0 || tag >> 3 > kLargestNumber) return false;
  number = static_cast<uint32_t>(tag >> 3);
  type = static_cast<WireType>(tag & 7);
  return true;
}

/// Takes a varint off the front of `bytes`; absent where there is none.
inline std::optional<uint64_t> take_varint(std::string_view& bytes) {
  const char* at = bytes.data();
  uint64_t value = 0;
  if (!read_varint(at, at + bytes.size(), value)) return std::nullopt;
  bytes.remove_prefix(static_cast<size_t>(at - bytes.data()));
  return value;
}

/// What a field begins with.
struct ProtobufTag {
  uint32_t number = 0;
  WireType type = WireType::varint;

  bool operator==(const ProtobufTag&) const = default;
};
/// Takes a tag off the front of `bytes`; absent where there is none.
inline std::optional<ProtobufTag> take_tag(std::string_view& bytes) {
  const char* at = bytes.data();
  ProtobufTag tag;
  if (!read_tag(at, at + bytes.size(), tag.number, tag.type)) return std::nullopt;
  bytes.remove_prefix(static_cast<size_t>(at - bytes.data()));
  return tag;
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
  explicit ProtobufMessage(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  /// The next field; false at the end, or where the rest is damaged. Inline: readers spend their time here.
  [[gnu::always_inline]] bool next(ProtobufField& field) {
    while (at_ != end_) {
      field = {};
      if (!read_tag(at_, end_, field.number, field.type)) return fail();
      if (field.type != WireType::group) return read_value(field) || fail();
      const char* const behind = end_of_group(at_, end_, field.number);
      if (behind == nullptr) return fail();
      at_ = behind;
    }
    return false;
  }
  bool damaged() const { return damaged_; }
  /// Where the next field begins.
  const char* position() const { return at_; }

 private:
  uint64_t left() const { return static_cast<uint64_t>(end_ - at_); }
  bool fail() {
    damaged_ = true;
    at_ = end_;
    return false;
  }
  /// Reads the value behind a tag; false where it does not end in the message.
  [[gnu::always_inline]] bool read_value(ProtobufField& field) {
    switch (field.type) {
      case WireType::varint:
        return read_varint(at_, end_, field.integer);
      case WireType::fixed64:
      case WireType::fixed32: {
        static_assert(std::endian::native == std::endian::little, "numbers of fixed size are read as they lie there");
        const size_t size = field.type == WireType::fixed64 ? 8 : 4;
        if (size > left()) return false;
        std::memcpy(&field.integer, at_, size);
        at_ += size;
        return true;
      }
      case WireType::bytes: {
        uint64_t size = 0;
        if (!read_varint(at_, end_, size) || size > left()) return false;
        field.bytes = std::string_view(at_, to_size(size));
        at_ += size;
        return true;
      }
      case WireType::group:
      case WireType::group_end:
        break;
    }
    return false;
  }
  /// Where the group ends that begins before `at`; null where it does not. Static, as is all that is no inline
  /// function: a message whose address is not taken is read in registers.
  static const char* end_of_group(const char* at, const char* end, uint32_t number);

  const char* at_;
  const char* end_;
  bool damaged_ = false;
};

/// The first field of this number that holds bytes; empty if there is none.
std::string_view protobuf_bytes(std::string_view message, uint32_t number);
/// The last varint of this number, which is the one that counts; absent if there is none.
std::optional<uint64_t> protobuf_varint(std::string_view message, uint32_t number);

/// Calls use(bytes) for each field of bytes (a message, a text) with this number, as far as the message is whole.
template <typename Use>
void each_protobuf_bytes(std::string_view message, uint32_t number, Use use) {
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == number && field.is_bytes()) use(field.bytes);
  }
}

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
