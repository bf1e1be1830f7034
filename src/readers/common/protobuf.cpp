#include "readers/common/protobuf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace cgpu {

namespace {

constexpr size_t kDeepestGroup = 64;

static_assert(std::endian::native == std::endian::little, "numbers of fixed size are read as they lie there");

}  // namespace

double ProtobufField::number_value() const {
  if (type == WireType::fixed64) {
    double value = 0;
    static_assert(sizeof value == sizeof integer);
    std::memcpy(&value, &integer, sizeof value);
    return value;
  }
  if (type == WireType::fixed32) {
    float value = 0;
    const auto bits = static_cast<uint32_t>(integer);
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
  }
  return type == WireType::varint ? static_cast<double>(integer) : 0;
}

bool ProtobufMessage::fail() {
  damaged_ = true;
  at_ = end_;
  return false;
}

/// Reads the value behind a tag; false where it does not end in the message.
inline bool ProtobufMessage::read_value(ProtobufField& field) {
  switch (field.type) {
    case WireType::varint:
      return read_varint(at_, end_, field.integer);
    case WireType::fixed64:
    case WireType::fixed32: {
      const size_t size = field.type == WireType::fixed64 ? 8 : 4;
      if (size > left()) return false;
      field.integer = 0;
      std::memcpy(&field.integer, at_, size);
      at_ += size;
      return true;
    }
    case WireType::bytes: {
      uint64_t size = 0;
      if (!read_varint(at_, end_, size) || size > left()) return false;
      field.bytes = std::string_view(at_, size);
      at_ += size;
      return true;
    }
    case WireType::group:
    case WireType::group_end:
      break;
  }
  return false;
}

/// Up to the end of the group that has just begun. Groups nest, so the open ones are kept.
bool ProtobufMessage::skip_group(uint32_t number) {
  std::array<uint32_t, kDeepestGroup> open{};
  size_t depth = 0;
  open[depth++] = number;
  while (depth > 0) {
    ProtobufField field;
    if (!read_tag(at_, end_, field.number, field.type)) return false;
    if (field.type == WireType::group) {
      if (depth == open.size()) return false;
      open[depth++] = field.number;
    } else if (field.type == WireType::group_end) {
      if (open[--depth] != field.number) return false;
    } else if (!read_value(field)) {
      return false;
    }
  }
  return true;
}

bool ProtobufMessage::next(ProtobufField& field) {
  while (at_ != end_) {
    field = {};
    if (!read_tag(at_, end_, field.number, field.type)) return fail();
    if (field.type != WireType::group) return read_value(field) || fail();
    if (!skip_group(field.number)) return fail();
  }
  return false;
}

std::string_view protobuf_bytes(std::string_view message, uint32_t number) {
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == number && field.is_bytes()) return field.bytes;
  }
  return {};
}

std::optional<uint64_t> protobuf_varint(std::string_view message, uint32_t number) {
  std::optional<uint64_t> value;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == number && field.is_varint()) value = field.integer;
  }
  return value;
}

}  // namespace cgpu
