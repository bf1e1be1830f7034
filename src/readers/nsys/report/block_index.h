// What a block of a report holds: which events are rows of which table, and where each is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "readers/nsys/report/event_kinds.h"

namespace cgpu::nsys {

struct BlockIndex {
  struct Row {
    uint32_t offset = 0;  // in the message of the block, of the length in front of the payload
    uint32_t size = 0;    // of that length and the payload
    EventTable table = EventTable::count;
    bool has_call_chain = false;  // a call of the system's libraries with frames
  };
  std::vector<Row> rows;                  // in the order of the block
  uint64_t events = 0;                    // those included that are no rows
  int64_t damaged = 0;                    // of these
  bool has_frames = false;                // of any sample
  std::map<std::string, int64_t> unread;  // events by name
};

/// Reads the message of a block once. Replaces what `index` was; its memory is used again.
void index_block(std::string_view message, BlockIndex& index);

}  // namespace cgpu::nsys
