// Events of the Linux kernel's tracer: which thread ran on which processor, and what Android programs mark.
//
// Both of scheduling's encodings are read (one event each, and columns of times and threads), and the marks that
// programs write as text: "B|PID|NAME" and "E" for slices of a thread, "S" and "F" for asynchronous ones, "C" for
// counters, "I" and "N" for instants. Other events are counted.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "readers/perfetto/arguments.h"
#include "readers/perfetto/assembler.h"
#include "readers/perfetto/clocks.h"
#include "readers/perfetto/sequence.h"

namespace cgpu::perfetto {

class Ftrace {
 public:
  Ftrace(Assembler& into, ArgumentTexts& texts, Clocks& clocks) : into_(into), texts_(texts), clocks_(clocks) {}

  /// An FtraceEventBundle message.
  void add(std::string_view message, const PacketContext& packet);
  /// After the last bundle; before Assembler::finish.
  void finish();

 private:
  struct Running {
    int64_t since = 0;
    int64_t thread = 0;
    StringId name = 0;
    uint64_t source = kNoSource;
  };
  void add_event(std::string_view message, uint64_t cpu, const PacketContext& packet);
  void add_mark(std::string_view text, int64_t thread, int64_t time, const PacketContext& packet);
  void add_columns(std::string_view message, uint64_t cpu, const PacketContext& packet);
  void switch_to(uint64_t cpu, int64_t time, int64_t thread, std::string_view name, const PacketContext& packet);
  TrackIndex track_of(int64_t thread, int64_t process);
  std::optional<int64_t> trace_time(int64_t boottime);

  Assembler& into_;
  ArgumentTexts& texts_;
  Clocks& clocks_;
  std::map<uint64_t, Running> running_;
  std::set<LaneIndex> marked_;  // threads with marks that begin
  bool any_end_ = false;
  KnownArguments none_;
};

}  // namespace cgpu::perfetto
