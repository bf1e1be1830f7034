#include "readers/nsys/report/event_kinds.h"

#include "readers/common/numbered_names.h"
#include "readers/common/protobuf.h"

namespace cgpu {

extern const std::string_view builtin_nsys_event_names;  // event_names.txt

namespace nsys {

namespace {

namespace payload {
constexpr uint32_t kNvtx = 102, kDevice = 107, kHost = 108, kProcess = 113;
}
constexpr uint32_t kFirstKindOfWork = 101, kClassOfCall = 6, kPathOfProcess = 5, kNameOfProcess = 6;
constexpr uint64_t kTypeOfMarks = 47;

/// What distinguishes the events whose payloads have one number: of work of a device the number of the message that it
/// has, of calls their class, of NVTX the type of the event; else 0.
uint64_t kind_within(const EventHead& event) {
  if (event.payload_number == payload::kNvtx) return event.type;
  const bool is_work = event.payload_number == payload::kDevice;
  if (!is_work && event.payload_number != payload::kHost) return 0;
  ProtobufMessage fields(event.payload);
  for (ProtobufField field; fields.next(field);) {
    if (is_work && field.number >= kFirstKindOfWork && field.is_bytes()) return field.number;
    if (!is_work && field.number == kClassOfCall && field.is_varint()) return field.integer;
  }
  return 0;
}

}  // namespace

std::optional<EventHead> head_of_event(std::string_view event) {
  constexpr uint32_t kType = 1;
  EventHead head;
  ProtobufMessage fields(event);
  const char* start = fields.position();
  for (ProtobufField field; fields.next(field); start = fields.position()) {
    if (field.number == kType && field.is_varint()) {
      head.type = field.integer;
    } else if (field.is_bytes()) {
      head.payload_number = field.number;
      head.payload = field.bytes;
      head.payload_field = start;
    }
  }
  if (fields.damaged() || head.payload_number == 0) return std::nullopt;
  return head;
}

EventKind kind_of_event(const EventHead& event, const ReportLayout& layout) {
  const EventKind kind = layout.kind_of(event.payload_number, kind_within(event));
  // Marks of a tracer: exports show those of two classes as calls.
  const bool is_mark = event.payload_number == payload::kHost && event.type == kTypeOfMarks;
  if (is_mark && (kind.use != EventKind::Use::row || layout.tables()[kind.table].name != "OSRT_API")) {
    return {EventKind::Use::nothing};
  }
  // Processes without a name and a path are not in an export.
  const bool is_nameless = event.payload_number == payload::kProcess &&
                           protobuf_bytes(event.payload, kNameOfProcess).empty() &&
                           protobuf_bytes(event.payload, kPathOfProcess).empty();
  return is_nameless ? EventKind{EventKind::Use::nothing} : kind;
}

std::string name_of_event(const EventHead& event) {
  static const NumberedNames types(builtin_nsys_event_names, "type");
  static const NumberedNames classes(builtin_nsys_event_names, "class");
  const auto name = [](const NumberedNames& names, uint64_t number) {
    const std::string_view known = names.at(number);
    return known.empty() ? std::to_string(number) : std::string(known);
  };
  std::string text = name(types, event.type);
  if (event.payload_number == payload::kHost) text += " (" + name(classes, kind_within(event)) + ")";
  return text;
}

}  // namespace nsys
}  // namespace cgpu
