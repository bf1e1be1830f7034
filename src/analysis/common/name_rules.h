// What names tell: of calls, ranges, frames, ops, modules and machines. The rules are data, in name_rules.txt.
//
// O(length of the name). From several threads at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace cgpu {

/// The lists of name_rules.txt, in alphabetical order.
enum class NameList : uint8_t {
  counted_step,
  engine_step,
  event_wait,
  expert_op,
  idle_call,
  idle_driver,
  idle_host,
  idle_os_call,
  io_range,
  layer_part,
  library_frame,
  other_wait,
  phase,
  rack,
  reading_op,
  sleep,
  thread_wait,
  typed_input
};

/// What the first rule of a list that matches says a name is; "" where none does.
std::string_view label_of(NameList list, std::string_view name);

/// Whether a rule matches.
inline bool is_in(NameList list, std::string_view name) {
  return !label_of(list, name).empty();
}

/// The part of the name that is in the group of the first rule that matches; "" where none does.
std::string_view group_in(NameList list, std::string_view name);

}  // namespace cgpu
