#include "readers/perfetto/packets.h"

#include <algorithm>

#include "base/decompress.h"
#include "base/error.h"
#include "base/to_size.h"
#include "readers/perfetto/fields.h"

namespace cgpu::perfetto {

namespace {

/// Larger ones are not written: tracing services cut at less than a megabyte, other writers at their events.
constexpr uint64_t kMostPacket = uint64_t{256} << 20;
constexpr size_t kMostBlock = size_t{256} << 20;
/// Packets compress 5- to 20-fold; zlib makes up to 1,032 bytes of one, zstd any number.
constexpr uint64_t kMostTimes = 200;
constexpr uint64_t kLeastSwollen = uint64_t{64} << 20;
constexpr ProtobufTag kPacketTag{trace::kPacket, WireType::bytes};

/// Takes a packet's tag and length off the front of `text`; the length, absent where there is no packet.
std::optional<uint64_t> take_packet_head(std::string_view& text) {
  if (take_tag(text) != kPacketTag) return std::nullopt;
  return take_varint(text);
}

}  // namespace

std::optional<std::string> decompressed_packets(std::string_view packet) {
  ProtobufMessage fields(packet);
  for (ProtobufField field; fields.next(field);) {
    if (!field.is_bytes()) continue;
    if (field.number == packet::kCompressed) return decompress_zlib(field.bytes, kMostBlock).value_or("");
    if (field.number == packet::kZstdCompressed) return decompress_zstd(field.bytes, kMostBlock).value_or("");
  }
  return std::nullopt;
}

PacketStream::PacketStream(TextSource& source) : fields_(source, kMostPacket) {}

bool PacketStream::next(Packet& packet) {
  for (;;) {
    if (!block_.empty()) {
      if (next_inner(packet)) return true;
      block_.clear();
    }
    if (!next_plain(packet)) return false;
    auto block = decompressed_packets(packet.bytes);
    if (!block) return true;
    if (block->empty()) ++damaged_blocks_;
    compressed_ += packet.bytes.size();
    decompressed_ += block->size();
    if (decompressed_ > kLeastSwollen && decompressed_ / kMostTimes > compressed_) {
      damage_ = "the compressed packets up to byte " + std::to_string(packet.place.position) + " hold more than " +
                std::to_string(kMostTimes) + " times their size, which no profile does";
      return false;
    }
    block_ = std::move(*block);
    block_at_ = 0;
    block_position_ = packet.place.position;
  }
}

bool PacketStream::next_inner(Packet& packet) {
  std::string_view rest = std::string_view(block_).substr(block_at_);
  if (rest.empty()) return false;
  packet.place = {block_position_, static_cast<uint32_t>(block_at_)};
  const auto size = take_packet_head(rest);
  if (!size || *size > rest.size()) {
    ++damaged_blocks_;
    return false;
  }
  packet.bytes = rest.substr(0, to_size(*size));
  block_at_ = block_.size() - rest.size() + to_size(*size);
  return true;
}

bool PacketStream::next_plain(Packet& packet) {
  using Stop = ProtobufStream::Stop;
  ProtobufField field;
  const auto is_packet = [&] { return field.number == trace::kPacket && field.is_bytes(); };
  while (fields_.next(field) && fields_.stop() == Stop::none) {
    if (!is_packet()) continue;  // a field that newer traces may have
    packet.bytes = field.bytes;
    packet.place = {fields_.position(), PacketPlace::kPlain};
    return true;
  }
  if (fields_.stop() == Stop::end) return false;
  const std::string place = std::to_string(fields_.position());
  if (!is_packet() || fields_.stop() == Stop::damaged) {
    damage_ = "the bytes at " + place + " are no packet";
  } else if (fields_.stop() == Stop::too_large) {
    damage_ = "the packet at " + place + " says that it is larger than 256 MB";
  } else {
    damage_ = "the file ends inside the packet at " + place;
  }
  return false;
}

void PacketAccess::fail() const {
  throw Error(file_, "has changed since it was opened: open it again");
}

std::string_view PacketAccess::plain_at(uint64_t position) {
  packet_.resize(2 * kLongestVarint);
  packet_.resize(source_->read_at(position, packet_.data(), packet_.size()));
  std::string_view rest = packet_;
  const auto size = take_packet_head(rest);
  if (!size || *size > kMostPacket) fail();
  const size_t head = packet_.size() - rest.size();
  packet_.resize(to_size(*size));
  if (source_->read_at(position + head, packet_.data(), packet_.size()) != *size) fail();
  return packet_;
}

std::string_view PacketAccess::at(const PacketPlace& place) {
  if (place.inner == PacketPlace::kPlain) return plain_at(place.position);
  if (block_position_ != place.position) {
    auto block = decompressed_packets(plain_at(place.position));
    if (!block) fail();
    block_ = std::move(*block);
    block_position_ = place.position;
  }
  std::string_view rest = block_;
  rest.remove_prefix(std::min<size_t>(place.inner, rest.size()));
  const auto size = take_packet_head(rest);
  if (!size || *size > rest.size()) fail();
  return rest.substr(0, to_size(*size));
}

bool looks_like_trace(std::string_view head) {
  constexpr size_t kPacketsAsked = 16;
  bool sure = false;
  for (size_t asked = 0; asked < kPacketsAsked && !head.empty(); ++asked) {
    const auto tag = take_tag(head);
    if (tag != kPacketTag) return asked > 0 && sure && tag;
    const auto size = take_varint(head);
    if (!size || *size > kMostPacket) return sure;
    const bool whole = *size <= head.size();
    std::string_view packet = head.substr(0, to_size(*size));
    ProtobufMessage fields(packet);
    ProtobufField field;
    while (fields.next(field)) {
      if (!packet::has_its_type(field)) return false;
      sure = sure || packet::tells_a_trace(field.number);
    }
    if (whole && fields.damaged()) return false;
    if (!whole) {  // the first field of a packet that does not fit, which a compressed block does not
      const auto first = take_tag(packet);
      return sure || (first && packet::tells_a_trace(first->number));
    }
    head.remove_prefix(to_size(*size));
  }
  return sure;
}

}  // namespace cgpu::perfetto
