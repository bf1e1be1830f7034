#include "readers/common/protobuf.h"

#include <array>
#include <cstring>

namespace cgpu {

namespace {

constexpr size_t kDeepestGroup = 64;
constexpr uint32_t kLargestNumber = (1U << 29) - 1;

/// The bits of a little-endian number.
uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

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
  rest_ = {};
  return false;
}

std::optional<uint64_t> ProtobufMessage::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> ProtobufMessage::take(uint64_t size) {
  if (size > rest_.size()) return std::nullopt;
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

bool ProtobufMessage::read_value(ProtobufField& field) {
  std::optional<std::string_view> taken;
  switch (field.type) {
    case WireType::varint: {
      const auto value = varint();
      field.integer = value.value_or(0);
      return value.has_value();
    }
    case WireType::fixed64:
    case WireType::fixed32:
      taken = take(field.type == WireType::fixed64 ? 8 : 4);
      field.integer = little_endian(taken.value_or(""));
      return taken.has_value();
    case WireType::bytes: {
      const auto size = varint();
      if (size) taken = take(*size);
      field.bytes = taken.value_or("");
      return taken.has_value();
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
    const auto tag = varint();
    if (!tag) return false;
    ProtobufField field;
    field.number = static_cast<uint32_t>(*tag >> 3);
    field.type = static_cast<WireType>(*tag & 7);
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
    const auto tag = varint();
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > kLargestNumber) return fail();
    field = {};
    field.number = static_cast<uint32_t>(*tag >> 3);
    field.type = static_cast<WireType>(*tag & 7);
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
