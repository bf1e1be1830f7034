// The state of one sequence of packets, as one writer has built it up so far.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "readers/perfetto/annotations.h"
#include "readers/perfetto/interned.h"

namespace cgpu::perfetto {

struct Sequence {
  uint64_t key = 0;
  bool valid = false;  // since its state was cleared, no packet of it was lost
  bool seen = false;
  std::shared_ptr<AnnotationTexts> texts;
  Interned interned;

  // Defaults of its packets.
  std::optional<uint32_t> clock;
  std::optional<uint64_t> track;
  std::vector<uint64_t> extra_counters;
  std::vector<uint64_t> extra_double_counters;

  // Of writers before there were tracks: their thread, and microseconds that events count on from.
  std::optional<int64_t> process;
  std::optional<int64_t> thread;
  int64_t time_us = 0;

  std::unordered_map<uint64_t, double> incremental_counters;

  /// Forgets what packets have said, but not whose they are.
  void clear_state() {
    valid = true;
    interned = {};
    clock.reset();
    track.reset();
    extra_counters.clear();
    extra_double_counters.clear();
    incremental_counters.clear();
  }
};

/// What the payload of a packet is read with.
struct PacketContext {
  Sequence& sequence;
  std::optional<int64_t> time;  // on the trace's clock; absent where the packet has none that can be used
  PacketPlace place;
};

}  // namespace cgpu::perfetto
