// The packets of a Perfetto trace, one after the other, from a stream of any length.
//
// A trace is one message with a repeated field 1, so a file is (tag, length, packet) over and over. Only the packet at
// hand is held. A packet may itself hold a compressed run of packets; these come out in its place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/text_source.h"
#include "readers/common/protobuf_stream.h"

namespace cgpu::perfetto {

/// Where a packet is: its own place, or the place of the packet that holds it compressed and its place in there.
struct PacketPlace {
  static constexpr uint32_t kPlain = UINT32_MAX;
  uint64_t position = 0;    // of the tag, in the uncompressed input
  uint32_t inner = kPlain;  // of the tag, in the decompressed block

  auto operator<=>(const PacketPlace&) const = default;
};

struct Packet {
  std::string_view bytes;
  PacketPlace place;
};

class PacketStream {
 public:
  explicit PacketStream(TextSource& source);

  /// The next packet, valid until the next call; false at the end, and where the rest is no trace.
  bool next(Packet& packet);

  /// Compressed blocks that could not be read.
  int64_t damaged_blocks() const { return damaged_blocks_; }
  /// One line about what ended the stream early, else empty.
  const std::string& damage() const { return damage_; }

 private:
  bool next_plain(Packet& packet);
  bool next_inner(Packet& packet);

  ProtobufStream fields_;
  std::string block_;  // decompressed packets
  size_t block_at_ = 0;
  uint64_t block_position_ = 0;
  int64_t damaged_blocks_ = 0;
  uint64_t compressed_ = 0;  // bytes of blocks until now, and what they were decompressed to
  uint64_t decompressed_ = 0;
  std::string damage_;
};

/// The decompressed packets of a packet that holds a compressed block; nothing where it does not, empty where it is
/// damaged.
std::optional<std::string> decompressed_packets(std::string_view packet);

/// The packet at a place, read again. Throws Error where there is none.
class PacketAccess {
 public:
  PacketAccess(std::shared_ptr<TextSource> source, std::string file)
      : source_(std::move(source)), file_(std::move(file)) {}
  /// Valid until the next call.
  std::string_view at(const PacketPlace& place);

 private:
  std::string_view plain_at(uint64_t position);
  [[noreturn]] void fail() const;

  std::shared_ptr<TextSource> source_;
  std::string file_;
  std::string packet_;
  std::string block_;
  std::optional<uint64_t> block_position_;
};

/// Whether a file that begins so is a Perfetto trace.
bool looks_like_trace(std::string_view head);

}  // namespace cgpu::perfetto
