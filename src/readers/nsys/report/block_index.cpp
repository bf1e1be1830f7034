#include "readers/nsys/report/block_index.h"

#include <algorithm>
#include <optional>

#include "readers/common/protobuf.h"
#include "readers/nsys/report/table_layouts.h"

namespace cgpu::nsys {

namespace {

namespace block_field {
constexpr uint32_t kEvent = 1, kRawRecord = 2;
}
constexpr uint32_t kFramesOfCall = 15;

bool has_field(std::string_view message, uint32_t number) {
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == number) return true;
  }
  return false;
}

/// Bytes of a length as protocol buffers write it.
size_t size_of_length(uint64_t length) {
  size_t size = 1;
  for (; length >= 0x80; length >>= 7) ++size;
  return size;
}

/// The payload with the length in front of it, by which it is found again; absent where that is written otherwise.
std::optional<std::string_view> with_length(std::string_view payload, std::string_view message) {
  const auto start = static_cast<size_t>(payload.data() - message.data());
  const size_t offset = start - std::min(start, size_of_length(payload.size()));
  const char* at = message.data() + offset;
  uint64_t length = 0;
  if (!read_varint(at, payload.data(), length) || at != payload.data() || length != payload.size()) return std::nullopt;
  return message.substr(offset, start + payload.size() - offset);
}

void add_event(std::string_view bytes, std::string_view message, BlockIndex& index) {
  ++index.events;
  const std::optional<EventHead> event = head_of_event(bytes);
  if (!event) {
    ++index.damaged;
    return;
  }
  const EventKind kind = kind_of_event(*event);
  if (kind.use == EventKind::Use::unread) ++index.unread[name_of_event(*event)];
  if (kind.use != EventKind::Use::row) return;
  const std::optional<std::string_view> row = with_length(event->payload, message);
  if (!row) {
    ++index.damaged;
    return;
  }
  index.rows.push_back({static_cast<uint32_t>(row->data() - message.data()), static_cast<uint32_t>(row->size()),
                        kind.table, kind.table == EventTable::os_runtime && has_field(event->payload, kFramesOfCall)});
  if (kind.table == EventTable::sample && !index.has_frames) {
    index.has_frames = has_field(event->payload, kFramesOfSample);
  }
}

}  // namespace

void index_block(std::string_view message, BlockIndex& index) {
  index.rows.clear();
  index.events = 0;
  index.damaged = 0;
  index.has_frames = false;
  index.unread.clear();
  ProtobufMessage entries(message);
  for (ProtobufField entry; entries.next(entry);) {
    if (entry.number == block_field::kRawRecord) ++index.unread["raw records (GPU metrics, context switches)"];
    if (entry.number == block_field::kEvent && entry.is_bytes()) add_event(entry.bytes, message, index);
  }
  if (entries.damaged()) ++index.damaged;
}

}  // namespace cgpu::nsys
