// For tests: writes small Perfetto traces, packet by packet.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/test_file.h"
#include "readers/common/test_message.h"
#include "readers/perfetto/fields.h"

namespace cgpu::perfetto::test {

using cgpu::test::Message;
using cgpu::test::zlib;

inline Message fixed64(uint32_t number, uint64_t value) {
  std::string bits(8, '\0');
  for (size_t i = 0; i < 8; ++i) bits[i] = static_cast<char>(value >> (8 * i));
  Message tag;
  tag.varint(number, 0);
  std::string bytes = tag.bytes();
  bytes.pop_back();
  bytes[0] = static_cast<char>(bytes[0] | 1);  // wire type 1
  return Message().raw(bytes + bits);
}

/// An annotation with a name of its own.
inline Message number(std::string_view name, int64_t value) {
  return Message().text(annotation::kName, name).varint(annotation::kInt, static_cast<uint64_t>(value));
}
inline Message text(std::string_view name, std::string_view value) {
  return Message().text(annotation::kName, name).text(annotation::kString, value);
}

/// A TrackEvent.
inline Message event_of(uint64_t type, uint64_t track) {
  return Message().varint(event::kType, type).varint(event::kTrack, track);
}
inline Message begin(uint64_t track, std::string_view name, std::string_view category,
                     std::initializer_list<Message> annotations = {}) {
  Message made = event_of(event::kSliceBegin, track);
  made.text(event::kName, name).text(event::kCategories, category);
  for (const Message& annotation : annotations) made.add(event::kAnnotations, annotation);
  return made;
}
inline Message end(uint64_t track) {
  return event_of(event::kSliceEnd, track);
}

/// A named number of InternedData.
inline Message named(uint64_t iid, std::string_view name) {
  return Message().varint(1, iid).text(2, name);
}

inline Message thread_track(uint64_t uuid, int64_t process, int64_t thread, std::string_view name) {
  return Message()
      .varint(track::kUuid, uuid)
      .add(track::kThread,
           Message().varint(1, static_cast<uint64_t>(process)).varint(2, static_cast<uint64_t>(thread)).text(5, name));
}
inline Message process_track(uint64_t uuid, int64_t process, std::string_view name) {
  return Message()
      .varint(track::kUuid, uuid)
      .add(track::kProcess, Message().varint(1, static_cast<uint64_t>(process)).text(6, name));
}
inline Message named_track(uint64_t uuid, uint64_t parent, std::string_view name) {
  return Message().varint(track::kUuid, uuid).varint(track::kParent, parent).text(track::kName, name);
}

class TraceWriter {
 public:
  /// Any packet, on the sequence in use.
  TraceWriter& packet(Message fields) {
    fields.varint(packet::kSequenceId, sequence_);
    bytes_ += Message().add(1, fields).bytes();
    return *this;
  }
  TraceWriter& payload(uint32_t field, const Message& message) { return packet(Message().add(field, message)); }
  TraceWriter& at(uint64_t time, const Message& track_event) {
    ++events_;
    return packet(Message().varint(packet::kTimestamp, time).add(packet::kTrackEvent, track_event));
  }
  TraceWriter& track(const Message& descriptor) {
    ++events_;
    return payload(packet::kTrackDescriptor, descriptor);
  }
  /// Begins the sequence's state anew.
  TraceWriter& clear() { return packet(Message().varint(packet::kSequenceFlags, 3)); }
  TraceWriter& intern(uint32_t field, const Message& entry) {
    return payload(packet::kInternedData, Message().add(field, entry));
  }
  TraceWriter& sequence(uint64_t id) {
    sequence_ = id;
    return *this;
  }
  TraceWriter& raw(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }
  /// A slice on a track, as two packets.
  TraceWriter& slice(uint64_t track, uint64_t from, uint64_t to, std::string_view name, std::string_view category,
                     std::initializer_list<Message> annotations = {}) {
    return at(from, begin(track, name, category, annotations)).at(to, end(track));
  }

  const std::string& bytes() const { return bytes_; }
  /// Track events and descriptors of tracks, each in a packet of its own.
  int64_t events() const { return events_; }

 private:
  uint64_t sequence_ = 1;
  std::string bytes_;
  int64_t events_ = 0;
};

}  // namespace cgpu::perfetto::test
