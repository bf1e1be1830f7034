// The slow path for windows that are no valid JSON: event by event, repairing what profilers are known to break.
//
// Known damage (Kineto until 2026-07 did not escape quotes in names): unescaped quotes, raw control bytes, invalid
// UTF-8, bad backslash escapes inside strings; files cut off in the middle; windows cut inside an event's arguments. An
// event that parses after repair is kept and counted, one that does not is counted as broken; neither takes its
// neighbours along.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "readers/trace_event/event_parser.h"

namespace cgpu::trace_event {

struct RepairingResult {
  bool closed = false;  // the array ended
  size_t consumed =
      0;  // bytes of the text that are done with; what follows is an incomplete event, or (closed) the tail
};

class RepairingParser {
 public:
  explicit RepairingParser(EventParser& parser) : parser_(parser) {}

  /// Reads the events in `text`, which begins with one (or with white space, a comma or the closing bracket).
  /// `last`: no more text follows, so an incomplete event is a broken one.
  RepairingResult parse(std::string_view text, uint64_t offset, bool last, Batch& batch);

 private:
  bool parse_one(std::string_view event, uint64_t offset, Batch& batch);
  /// Reads or gives up the event at `at`; returns where to go on, or `at` if it is not complete yet.
  size_t parse_next(std::string_view text, size_t at, uint64_t offset, bool last, Batch& batch);

  /// Where the event after the one at `at` begins: the first boundary, from `boundary` on, at which the braces before
  /// it are balanced, as they are or with the strings repaired. npos where there is none; `gave_up`: several were
  /// tried in vain.
  size_t next_event(std::string_view text, size_t at, size_t boundary, bool& gave_up);
  /// end_of_json_object within the budget.
  size_t find_end(std::string_view text, size_t at);

  void spend_on_repair(size_t bytes) { repair_budget_ -= std::min(repair_budget_, bytes); }

  EventParser& parser_;
  std::string buffer_;
  // Bytes that may still be looked through, and that may still be repaired, for the ends of events: they keep hostile
  // text linear. Without them an event ends at the next boundary at the latest.
  size_t budget_ = 0;
  size_t repair_budget_ = 0;
};

/// An event's text with its strings repaired, see above.
std::string repaired_event(std::string_view event);

}  // namespace cgpu::trace_event
