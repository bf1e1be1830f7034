// Perfetto's trace format: packets of one sequence, with names interned at first use.
//
// A trace is a repeated TracePacket. Field numbers are those of Perfetto's public definitions
// (protos/perfetto/trace/**, as of v58); their names are beside each use.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "export/proto_writer.h"
#include "export/sink.h"
#include "model/argument_reader.h"

namespace cgpu {

/// The numbers of interned texts in one table of InternedData.
class Interned {
 public:
  /// The number of `text`; `is_new` says whether it must be defined.
  uint64_t number_of(std::string_view text, bool& is_new) {
    const auto known = numbers_.find(text);
    is_new = known == numbers_.end();
    if (!is_new) return known->second;
    return numbers_.emplace(text, numbers_.size() + 1).first->second;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // a text that is known is looked up without a copy
  };
  std::unordered_map<std::string, uint64_t, Hash, std::equal_to<>> numbers_;
};

class TracePackets {
 public:
  TracePackets(Sink& sink, uint64_t sequence) : sink_(sink), sequence_(sequence) {}
  TracePackets(const TracePackets&) = delete;
  TracePackets& operator=(const TracePackets&) = delete;

  /// Writes one packet, whose fields write_fields(ProtoWriter&) appends, together with the texts that these interned.
  template <typename WriteFields>
  void packet(int64_t time, WriteFields write_fields) {
    writer_.message(1, [&] {               // Trace.packet
      writer_.integer(8, time);            // timestamp, ns
      writer_.varint(10, sequence_);       // trusted_packet_sequence_id
      writer_.varint(13, first_ ? 3 : 2);  // sequence_flags: state cleared (first), needs the state
      write_fields(writer_);
      if (!definitions_.bytes().empty()) writer_.text(12, definitions_.bytes());  // interned_data
    });
    definitions_.clear();
    flush_if_full();
  }
  /// Writes a packet without a time: a description.
  template <typename WriteFields>
  void description(WriteFields write_fields) {
    writer_.message(1, [&] {
      writer_.varint(10, sequence_);
      writer_.varint(13, first_ ? 3 : 2);
      write_fields(writer_);
    });
    flush_if_full();
  }
  void flush() {
    sink_.write(writer_.bytes());
    writer_.clear();
  }

  uint64_t category(std::string_view text) { return define(1, categories_, text); }
  uint64_t event_name(std::string_view text) { return define(2, event_names_, text); }
  uint64_t annotation_name(std::string_view text) { return define(3, annotation_names_, text); }

  /// One debug annotation of a TrackEvent (field 4), its name interned: a number where the value is one, else a string.
  static void annotation(ProtoWriter& event, uint64_t name, const ArgumentView& argument);

 private:
  uint64_t define(uint32_t field, Interned& table, std::string_view text);

  void flush_if_full() {
    first_ = false;
    if (writer_.bytes().size() >= kSinkBlock) flush();
  }

  Sink& sink_;
  uint64_t sequence_;
  ProtoWriter writer_;
  ProtoWriter definitions_;  // InternedData of the packet that is being written
  bool first_ = true;
  Interned categories_;
  Interned event_names_;
  Interned annotation_names_;
};

/// One attribute of a TraceAttributes message.
inline void write_attribute(ProtoWriter& packet, std::string_view key, int64_t value) {
  packet.message(1, [&] {
    packet.text(1, key);
    packet.integer(2, value);
  });
}
inline void write_attribute(ProtoWriter& packet, std::string_view key, std::string_view value) {
  packet.message(1, [&] {
    packet.text(1, key);
    packet.text(3, value);
  });
}

}  // namespace cgpu
