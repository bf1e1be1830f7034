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

std::optional<uint64_t> take_long_varint(std::string_view& bytes) {
  uint64_t value = 0;
  const size_t most = std::min(bytes.size(), kLongestVarint);
  for (size_t i = 0; i < most; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

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
  rest_ = {};
  return false;
}

/// Reads the value behind a tag; false where it does not end in the message.
bool ProtobufMessage::read_value(ProtobufField& field) {
  switch (field.type) {
    case WireType::varint: {
      const auto value = take_varint(rest_);
      field.integer = value.value_or(0);
      return value.has_value();
    }
    case WireType::fixed64:
    case WireType::fixed32: {
      const size_t size = field.type == WireType::fixed64 ? 8 : 4;
      if (size > rest_.size()) return false;
      std::memcpy(&field.integer, rest_.data(), size);
      rest_.remove_prefix(size);
      return true;
    }
    case WireType::bytes: {
      const auto size = take_varint(rest_);
      if (!size || *size > rest_.size()) return false;
      field.bytes = std::string_view(rest_.data(), *size);
      rest_.remove_prefix(*size);
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
    const auto tag = take_tag(rest_);
    if (!tag) return false;
    ProtobufField field;
    field.number = tag->number;
    field.type = tag->type;
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
  while (!rest_.empty()) {
    const auto tag = take_tag(rest_);
    if (!tag) return fail();
    field = {};
    field.number = tag->number;
    field.type = tag->type;
    if (field.type == WireType::group) {
      if (!skip_group(field.number)) return fail();
      continue;
    }
    return read_value(field) || fail();
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
