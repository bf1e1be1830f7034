#include "readers/perfetto/arguments.h"

#include <fmt/format.h>

#include <mutex>

#include "base/json_text.h"
#include "base/to_size.h"
#include "readers/perfetto/annotations.h"
#include "readers/perfetto/fields.h"

namespace cgpu::perfetto {

namespace {

constexpr uint64_t kInBlock = uint64_t{1} << 63;

class PacketArguments final : public ArgumentSource {
 public:
  PacketArguments(std::shared_ptr<TextSource> source, std::string file, std::shared_ptr<const ArgumentTexts> texts,
                  std::unordered_map<uint64_t, uint64_t> end_sources)
      : packets_(std::move(source), std::move(file)), texts_(std::move(texts)), end_sources_(std::move(end_sources)) {}

  void read_events(std::span<const uint64_t> sources, ArgumentBatch& batch) override {
    const std::lock_guard lock(mutex_);
    for (const uint64_t source : sources) {
      batch.begin_event();
      add_all(source, batch);
      if (const auto end = end_sources_.find(source); end != end_sources_.end()) add_all(end->second, batch);
    }
  }

 private:
  PacketPlace place_of(uint64_t source) const {
    if ((source & kInBlock) == 0) return {source, PacketPlace::kPlain};
    const uint64_t block = (source & ~kInBlock) >> 32;
    return {block < texts_->blocks.size() ? texts_->blocks[to_size(block)] : 0, static_cast<uint32_t>(source)};
  }

  void add_all(uint64_t source, ArgumentBatch& batch) {
    const PacketPlace place = place_of(source);
    const std::string_view packet = packets_.at(place);
    const uint64_t sequence = packet::sequence_key(packet);
    const TextsInUse texts{texts_->pool, texts_->at(sequence, place)};
    ProtobufMessage fields(packet);
    for (ProtobufField field; fields.next(field);) {
      if (!field.is_bytes()) continue;
      if (field.number == packet::kTrackEvent) add_track_event(field.bytes, texts, batch);
      if (field.number == packet::kGpuRenderStageEvent) add_render_stage(field.bytes, texts, batch);
    }
  }

  static void add_track_event(std::string_view message, const TextsInUse& texts, ArgumentBatch& batch) {
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (field.number == event::kAnnotations && field.is_bytes()) add(argument_of(field.bytes, texts), batch);
    }
  }

  static void add_render_stage(std::string_view message, const TextsInUse& texts, ArgumentBatch& batch) {
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (field.number == stage::kSubmission) add({"submission", std::to_string(field.integer), true}, batch);
      if (field.number == stage::kExtraData) {
        add({valid_utf8(protobuf_bytes(field.bytes, extra_data::kName)),
             valid_utf8(protobuf_bytes(field.bytes, extra_data::kValue)), false},
            batch);
      }
      if (field.number != stage::kLaunch) continue;
      ProtobufMessage parts(field.bytes);
      for (ProtobufField part; parts.next(part);) {
        if (part.number == launch::kGridSize || part.number == launch::kWorkgroupSize) {
          add({part.number == launch::kGridSize ? "grid" : "block", dimensions_of(part.bytes), true}, batch);
        } else if (part.number == launch::kArguments) {
          add(compute_argument_of(part.bytes, texts), batch);
        }
      }
    }
  }

  /// As Kineto writes it: [x, y, z].
  static std::string dimensions_of(std::string_view message) {
    const auto size = [&](uint32_t number) { return protobuf_varint(message, number).value_or(1); };
    return fmt::format("[{}, {}, {}]", size(dimensions::kX), size(dimensions::kY), size(dimensions::kZ));
  }

  static void add(const Argument& argument, ArgumentBatch& batch) {
    batch.add(argument.key, argument.value, argument.json);
  }

  std::mutex mutex_;
  PacketAccess packets_;
  std::shared_ptr<const ArgumentTexts> texts_;
  std::unordered_map<uint64_t, uint64_t> end_sources_;
};

}  // namespace

uint64_t source_of(const PacketPlace& place, ArgumentTexts& texts) {
  if (place.inner == PacketPlace::kPlain) return place.position;
  if (texts.blocks.empty() || texts.blocks.back() != place.position) texts.blocks.push_back(place.position);
  return kInBlock | uint64_t{texts.blocks.size() - 1} << 32 | place.inner;
}

std::shared_ptr<ArgumentSource> make_argument_source(std::shared_ptr<TextSource> source, std::string file,
                                                     std::shared_ptr<const ArgumentTexts> texts,
                                                     std::unordered_map<uint64_t, uint64_t> end_sources) {
  return std::make_shared<PacketArguments>(std::move(source), std::move(file), std::move(texts),
                                           std::move(end_sources));
}

}  // namespace cgpu::perfetto
