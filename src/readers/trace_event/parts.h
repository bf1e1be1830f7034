// Events of a Chrome trace that mean something only together with others: beginnings and ends of slices, steps of
// asynchronous work, ends of flows, samples that name a stack. The assembler puts them aside while it reads, and
// complete_trace.h puts them together once all are there. PyTorch writes none of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/string_pool.h"
#include "model/timeline.h"

namespace cgpu::trace_event {

/// What such an event is.
enum class PartKind : uint8_t {
  begin,          // B
  end,            // E
  unended,        // X without a duration
  async_begin,    // b, S
  async_end,      // e, F
  async_instant,  // n, T, p
  flow_start,     // s, flow_out
  flow_step,      // t, flow_in and flow_out
  flow_finish,    // f: to what begins next
  flow_enclosed,  // f with bp "e", flow_in: to what it is in
  sample,         // P with the number of a stack frame
  cpu_profile,    // P with a piece of a JavaScript processor profile
};

inline bool is_flow(PartKind kind) {
  return kind == PartKind::flow_start || kind == PartKind::flow_step || kind == PartKind::flow_finish ||
         kind == PartKind::flow_enclosed;
}

struct Part {
  int64_t time;
  uint64_t source;  // position of the event in the input
  TrackIndex track;
  StringId name;
  StringId key;  // of asynchronous work and flows: what its parts have in common; of a sample: its stack frame; of a
                 // piece of a profile: its number
  uint16_t category;  // into Timeline::categories
  PartKind kind;
};

/// A piece of a JavaScript processor profile: which profile of its process, and the JSON text of the arguments.
struct CpuProfile {
  std::string id;
  std::string json;
};

/// All of a trace, in the order of the file.
struct Parts {
  std::vector<Part> rows;
  StringPool keys;
  std::vector<CpuProfile> cpu_profiles;
};

}  // namespace cgpu::trace_event
