// TrackEvents: slices, instants, counters and flows that programs mark in a trace.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/perfetto/arguments.h"
#include "readers/perfetto/assembler.h"
#include "readers/perfetto/clocks.h"
#include "readers/perfetto/sequence.h"

namespace cgpu::perfetto {

class TrackEvents {
 public:
  TrackEvents(Assembler& into, ArgumentTexts& texts, Clocks& clocks) : into_(into), texts_(texts), clocks_(clocks) {}

  /// A TrackEvent message.
  void add(std::string_view message, const PacketContext& packet);

 private:
  struct Lane {
    TrackIndex track;
    LaneIndex lane;
    int64_t process;
  };

  void parse(std::string_view message, const Sequence& sequence);
  void parse_legacy(std::string_view message);
  std::optional<int64_t> time_of(const PacketContext& packet);
  Lane lane_of(const Sequence& sequence);
  Lane async_lane(const Sequence& sequence);
  StringId category_of(const Sequence& sequence);
  StringId name_of(const Sequence& sequence);
  void read_arguments(const Sequence& sequence);

  void begin(const PacketContext& packet, int64_t time, const Lane& lane, std::optional<int64_t> duration);
  void end(const PacketContext& packet, int64_t time, LaneIndex lane);
  void instant(const PacketContext& packet, int64_t time, TrackIndex track);
  void counter(Sequence& sequence, int64_t time);
  void add_value(Sequence& sequence, uint64_t track, int64_t time, double value);
  void extra_counters(Sequence& sequence, int64_t time);
  void legacy(const PacketContext& packet, int64_t time);
  void legacy_flow(const Sequence& sequence, int64_t time);
  void legacy_counter(const PacketContext& packet, int64_t time);
  void legacy_names(const PacketContext& packet);
  void add_flows(int64_t time, SliceIndex slice, uint32_t end);

  Assembler& into_;
  ArgumentTexts& texts_;
  Clocks& clocks_;

  // The event at hand; members so that their memory is used again.
  uint64_t type_ = 0;
  std::optional<uint64_t> track_;
  std::optional<uint64_t> name_iid_;
  std::string_view name_;
  bool has_name_ = false;
  std::optional<double> value_;
  std::optional<int64_t> time_delta_us_;
  std::optional<int64_t> time_absolute_us_;
  std::vector<uint64_t> category_iids_;
  std::vector<std::string_view> categories_;
  std::vector<std::string_view> annotations_;
  std::vector<std::pair<uint64_t, bool>> flows_;  // id, terminating
  std::vector<uint64_t> extra_tracks_;
  std::vector<int64_t> extra_values_;
  std::vector<uint64_t> extra_double_tracks_;
  std::vector<double> extra_double_values_;
  std::vector<uint64_t> submitted_;  // events of GPUs
  std::string_view legacy_;

  // Of a legacy event.
  char phase_ = 0;
  std::optional<int64_t> duration_us_;
  std::optional<uint64_t> id_;
  std::optional<uint64_t> bind_id_;
  uint64_t flow_direction_ = 0;
  std::optional<int64_t> process_override_;
  std::optional<int64_t> thread_override_;

  KnownArguments arguments_;
  std::string scratch_;
};

}  // namespace cgpu::perfetto
