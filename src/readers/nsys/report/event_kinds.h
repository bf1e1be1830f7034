// What an event of a report is: the table that it is a row of, or the name under which it is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "readers/nsys/report/report_layout.h"

namespace cgpu::nsys {

/// What an event says of itself before its fields are looked at.
struct EventHead {
  uint64_t type = 0;
  uint32_t payload_number = 0;
  std::string_view payload;
  const char* payload_field = nullptr;  // where the field begins that holds it
};

/// Type and payload of an event's message. Absent where it is damaged or has no payload.
std::optional<EventHead> head_of_event(std::string_view event);

EventKind kind_of_event(const EventHead& event, const ReportLayout& layout);

/// The name of an event that is not read: that of its type, and of its class where it has one.
std::string name_of_event(const EventHead& event);

}  // namespace cgpu::nsys
