// The top level of a trace file: the keys around `traceEvents`, in any order, before and after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_source.h"

namespace cgpu::trace_event {

/// One key of the top-level object and the JSON text of its value (up to 8 MB; longer values are left out).
using TopLevelValue = std::pair<std::string, std::string>;

struct TopLevel {
  bool is_object = false;   // else a bare array of events
  bool has_events = false;  // the array of events was found
  bool complete = false;    // the closing brace was found
  std::vector<TopLevelValue> values;
  std::vector<std::string> left_out;  // keys of values that are too long
};

/// Reads from the start of a file to the first event. `rest` becomes the text that was read beyond that point and
/// `offset` its position. Throws Error (naming `file`) for anything that cannot be a trace.
TopLevel read_until_events(TextSource& source, const std::string& file, std::string& rest, uint64_t& offset);

/// Reads what follows the array of events, adding to `top`. Stops quietly where the text is no JSON. Where more follows
/// behind the end of the document, `trailing` becomes its place in `tail`, else npos.
void read_after_events(std::string_view tail, TopLevel& top, size_t& trailing);

}  // namespace cgpu::trace_event
