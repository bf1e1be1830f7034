// What both simdjson competitors do with an array of events: take ts, dur, name and correlation out of it.
#pragma once

#include <simdjson.h>

#include "totals.h"

struct Extracted {
  Totals totals;
  int64_t last_start_ns = 0;  // these two only so that the compiler may not drop the work
  size_t name_bytes = 0;
};

inline void extract_event(simdjson::ondemand::object event, Extracted& to) {
  bool slice = false;
  int64_t duration = 0;
  int64_t correlation = 0;
  for (auto field : event) {
    const auto key = field.key().value();
    if (key == "ph") {
      slice = std::string_view(field.value().raw_json_token()).starts_with("\"X\"");
    } else if (key == "ts") {
      to.last_start_ns = nanoseconds(field.value().raw_json_token());
    } else if (key == "dur") {
      duration = nanoseconds(field.value().raw_json_token());
    } else if (key == "name") {
      to.name_bytes += std::string_view(field.value().raw_json_token()).size();
    } else if (key == "args") {
      for (auto argument : field.value().get_object()) {
        if (argument.key().value() == "correlation") correlation = argument.value().get_int64();
      }
    }
  }
  if (slice) to.totals += {1, duration, correlation};
}

inline void extract_events(simdjson::ondemand::array events, Extracted& to) {
  for (auto event : events) extract_event(event.get_object(), to);
}
