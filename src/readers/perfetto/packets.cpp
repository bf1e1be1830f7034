#include "readers/perfetto/packets.h"

#include <algorithm>

#include "base/decompress.h"
#include "base/error.h"
#include "readers/common/protobuf.h"
#include "readers/perfetto/fields.h"

namespace cgpu::perfetto {

namespace {

constexpr size_t kReadSize = size_t{1} << 20;
/// Larger ones are not written: tracing services cut at less than a megabyte, other writers at their events.
constexpr uint64_t kMostPacket = uint64_t{256} << 20;
constexpr size_t kMostBlock = size_t{256} << 20;
constexpr uint64_t kPacketTag = 1 << 3 | 2;
constexpr size_t kMostVarint = 10;

/// A varint at `at` of a text, past which `at` is moved; nothing where it does not end in time.
std::optional<uint64_t> varint_in(std::string_view text, size_t& at) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < text.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text[at++]);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
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
    block_ = std::move(*block);
    block_at_ = 0;
    block_position_ = packet.place.position;
  }
}

bool PacketStream::next_inner(Packet& packet) {
  while (block_at_ < block_.size()) {
    const size_t start = block_at_;
    const auto tag = varint_in(block_, block_at_);
    const auto size = tag && *tag == kPacketTag ? varint_in(block_, block_at_) : std::nullopt;
    if (!size || *size > block_.size() - block_at_) {
      ++damaged_blocks_;
      return false;
    }
    packet.bytes = std::string_view(block_).substr(block_at_, *size);
    packet.place = {block_position_, static_cast<uint32_t>(start)};
    block_at_ += *size;
    return true;
  }
  return false;
}

bool PacketStream::next_plain(Packet& packet) {
  while (fill(1)) {
    fill(2 * kMostVarint);  // a tag and a length
    size_t at = begin_;
    const auto tag = varint_in(window_, at);
    const uint64_t place = position_ + begin_;
    if (!tag || *tag >> 3 == 0) {
      damage_ = "the bytes at " + std::to_string(place) + " are no packet";
      return false;
    }
    if (*tag != kPacketTag) {  // a field that newer traces may have
      if (skip_field(static_cast<uint32_t>(*tag & 7), at)) continue;
      damage_ = "the bytes at " + std::to_string(place) + " are no packet";
      return false;
    }
    const auto size = varint_in(window_, at);
    if (!size || *size > kMostPacket) {
      damage_ = !size ? "the file ends inside the length of a packet"
                      : "the packet at " + std::to_string(place) + " says that it is larger than 256 MB";
      return false;
    }
    const size_t head = at - begin_;
    if (!fill(head + *size)) {
      damage_ = "the file ends inside the packet at " + std::to_string(place);
      return false;
    }
    packet.bytes = std::string_view(window_).substr(begin_ + head, *size);
    packet.place = {place, PacketPlace::kPlain};
    begin_ += head + *size;
    return true;
  }
  return false;
}

/// Moves past a field that is no packet.
bool PacketStream::skip_field(uint32_t type, size_t at) {
  uint64_t size = 0;
  if (type == 0 || type == 2) {
    const auto value = varint_in(window_, at);
    if (!value) return false;
    size = type == 2 ? *value : 0;
  } else if (type == 1 || type == 5) {
    size = type == 1 ? 8 : 4;
  } else {
    return false;
  }
  const size_t head = at - begin_;
  if (size > kMostPacket || !fill(head + size)) return false;
  begin_ += head + size;
  return true;
}

/// Makes `size` bytes from `begin_` on available, as far as the input has them.
bool PacketStream::fill(size_t size) {
  while (window_.size() - begin_ < size) {
    if (begin_ > 0) {
      position_ += begin_;
      window_.erase(0, begin_);
      begin_ = 0;
    }
    const size_t had = window_.size();
    window_.resize(had + kReadSize);
    const size_t got = source_.read(window_.data() + had, kReadSize);
    window_.resize(had + got);
    if (got == 0) return false;
  }
  return true;
}

void PacketAccess::fail() const {
  throw Error(file_, "has changed since it was opened: open it again");
}

std::string_view PacketAccess::plain_at(uint64_t position) {
  packet_.resize(2 * kMostVarint);
  packet_.resize(source_->read_at(position, packet_.data(), packet_.size()));
  size_t head = 0;
  const auto tag = varint_in(packet_, head);
  const auto size = varint_in(packet_, head);
  if (!tag || *tag != kPacketTag || !size || *size > kMostPacket) fail();
  packet_.resize(*size);
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
  size_t at = place.inner;
  const auto tag = varint_in(block_, at);
  const auto size = varint_in(block_, at);
  if (!tag || *tag != kPacketTag || !size || *size > block_.size() - at) fail();
  return std::string_view(block_).substr(at, *size);
}

bool looks_like_trace(std::string_view head) {
  constexpr size_t kPacketsAsked = 16;
  bool sure = false;
  size_t at = 0;
  for (size_t asked = 0; asked < kPacketsAsked && at < head.size(); ++asked) {
    const auto tag = varint_in(head, at);
    if (!tag || *tag != kPacketTag) return asked > 0 && sure && tag && *tag >> 3 != 0;
    const auto size = varint_in(head, at);
    if (!size || *size > kMostPacket) return sure;
    const bool whole = *size <= head.size() - at;
    const std::string_view packet = head.substr(at, *size);
    ProtobufMessage fields(packet);
    ProtobufField field;
    while (fields.next(field)) {
      if (!packet::has_its_type(field)) return false;
      sure = sure || packet::tells_a_trace(field.number);
    }
    if (whole && fields.damaged()) return false;
    if (!whole) {  // the first field of a packet that does not fit, which a compressed block does not
      size_t inside = 0;
      const auto first = varint_in(packet, inside);
      return sure || (first && packet::tells_a_trace(static_cast<uint32_t>(*first >> 3)));
    }
    at += *size;
  }
  return sure;
}

}  // namespace cgpu::perfetto
