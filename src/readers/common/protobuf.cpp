#include "readers/common/protobuf.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace cgpu {

namespace {

constexpr size_t kDeepestGroup = 64;

}  // namespace

Varint varint_of_bytes(const char* at, const char* end) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 7 * kLongestVarint && at != end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return {at, value};
  }
  return {};
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

/// Groups nest, so the open ones are kept.
const char* ProtobufMessage::end_of_group(const char* at, const char* end, uint32_t number) {
  ProtobufMessage rest({at, static_cast<size_t>(end - at)});
  std::array<uint32_t, kDeepestGroup> open{};
  size_t depth = 0;
  open[depth++] = number;
  while (depth > 0) {
    ProtobufField field;
    if (!read_tag(rest.at_, end, field.number, field.type)) return nullptr;
    if (field.type == WireType::group) {
      if (depth == open.size()) return nullptr;
      open[depth++] = field.number;
    } else if (field.type == WireType::group_end) {
      if (open[--depth] != field.number) return nullptr;
    } else if (!rest.read_value(field)) {
      return nullptr;
    }
  }
  return rest.at_;
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
