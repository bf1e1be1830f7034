// Reads arguments of events of a trace again, in the order of the file.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text_source.h"

namespace cgpu::ascend {

/// What the layers need to know of an event. The texts are valid until the next event.
struct EventArguments {
  static constexpr int64_t kAbsent = INT64_MIN;
  int64_t connection = kAbsent;  // connection_id, of a device task and the call that launched it
  int64_t queue = kAbsent;       // correlation_id, of what was put into a queue and what was taken out
  int64_t bytes = kAbsent;
  int64_t count = kAbsent;      // elements of a collective
  int64_t rank_size = kAbsent;  // ranks in it
  std::string_view task_type;
  std::string_view operation;  // of a copy: "host to device"
  std::string_view data_type;  // of a collective's elements
};

/// Memory: a window of the text. Events may be asked for in any order, but only forwards is fast.
class EventReader {
 public:
  explicit EventReader(TextSource& source) : source_(source) {}

  /// The arguments of the event that begins at `position`; false, with all absent, where it cannot be read again.
  bool read(uint64_t position, EventArguments& arguments);

 private:
  std::string_view event_at(uint64_t position);

  TextSource& source_;
  std::string window_;
  uint64_t begin_ = 0;  // of the window in the text
  simdjson::dom::parser parser_;
};

}  // namespace cgpu::ascend
