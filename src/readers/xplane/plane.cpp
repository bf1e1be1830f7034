#include "readers/xplane/plane.h"

#include "readers/xplane/fields.h"

namespace cgpu::xplane {

Plane::Plane(std::string_view bytes) {
  ProtobufMessage fields(bytes);
  for (ProtobufField field; fields.next(field);) {
    if (!field.is_bytes()) continue;
    switch (field.number) {
      case plane::kName:
        name_ = field.bytes;
        break;
      case plane::kLines:
        lines_.push_back(field.bytes);
        break;
      case plane::kEventMetadata: {
        const std::string_view value = protobuf_bytes(field.bytes, entry::kValue);
        const std::string_view name = protobuf_bytes(value, metadata::kName);
        const bool has_stats = !protobuf_bytes(value, metadata::kStats).empty();
        kinds_[protobuf_varint(field.bytes, entry::kKey).value_or(0)] = {
            name.empty() ? protobuf_bytes(value, metadata::kDisplayName) : name,
            has_stats ? value : std::string_view()};
        break;
      }
      case plane::kStatMetadata:
        stat_names_[protobuf_varint(field.bytes, entry::kKey).value_or(0)] =
            protobuf_bytes(protobuf_bytes(field.bytes, entry::kValue), metadata::kName);
        break;
      case plane::kStats:
        stats_.push_back(field.bytes);
        break;
      default:
        break;
    }
  }
  damaged_ = fields.damaged();
}

const EventKind* Plane::kind(uint64_t id) const {
  const auto found = kinds_.find(id);
  return found == kinds_.end() ? nullptr : &found->second;
}

std::vector<Stat> Plane::stats() const {
  std::vector<Stat> all;
  for (const std::string_view message : stats_) all.push_back(stat(message));
  return all;
}

Stat Plane::stat(std::string_view message) const {
  const auto name_of = [&](uint64_t id) {
    const auto found = stat_names_.find(id);
    return found == stat_names_.end() ? std::string_view() : found->second;
  };
  Stat made;
  uint64_t id = 0;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    switch (field.number) {
      case stat::kMetadata:
        id = field.integer;
        break;
      case stat::kUnsigned:
      case stat::kSigned:
        if (field.is_varint()) made.integer = static_cast<int64_t>(field.integer);
        break;
      case stat::kText:
        made.text = field.bytes;
        break;
      case stat::kReference:  // a text that is kept among the names
        made.text = name_of(field.integer);
        break;
      default:
        break;
    }
  }
  made.name = name_of(id);
  return made;
}

}  // namespace cgpu::xplane
