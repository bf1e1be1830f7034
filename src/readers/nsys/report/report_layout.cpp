#include "readers/nsys/report/report_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/rule_lines.h"
#include "base/to_size.h"
#include "readers/common/numbered_names.h"
#include "readers/common/protobuf.h"

namespace cgpu {

extern const std::string_view builtin_nsys_tables;       // tables.txt
extern const std::string_view builtin_nsys_event_names;  // event_names.txt

namespace nsys {

namespace {

using Computed = ReportColumn::Computed;

/// "name=8", "name=101.4|2", "name=depth".
ReportColumn column_of(std::string_view text) {
  const size_t equals = text.find('=');
  ReportColumn column{text.substr(0, equals)};
  const std::string_view source = text.substr(equals + 1);
  for (const auto& [name, computed] : {std::pair("row_number", Computed::row_number),
                                       {"call_chain", Computed::call_chain},
                                       {"depth", Computed::depth}}) {
    if (source == name) column.computed = computed;
  }
  if (column.computed != Computed::no) return column;
  const char* at = source.data();
  const char* const end = at + source.size();
  at = std::from_chars(at, end, column.field).ptr;
  if (at != end && *at == '.') at = std::from_chars(at + 1, end, column.inner).ptr;
  if (at != end && *at == '|') at = std::from_chars(at + 1, end, column.substitute).ptr;
  if (at != end || column.field == 0 || std::max(column.field, column.substitute) >= kReportFields) {
    throw Error(fmt::format("tables.txt: '{}' is no column", text));
  }
  return column;
}

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

ReportLayout::ReportLayout(std::string_view version) {
  const auto take_number = [](std::string_view& line) { return parse_number<uint64_t>(take_word(line)).value_or(0); };
  each_rule_line(builtin_nsys_tables, [&](std::string_view line, int number) {
    const std::string_view what = take_word(line);
    if (what == "table") {
      tables_.push_back({line, {}});
    } else if (what == "event" || what == "nothing") {
      std::vector<EventKind>& kinds = kinds_.at(to_size(take_number(line)));
      do {
        const size_t kind = to_size(take_number(line));
        kinds.resize(std::max(kinds.size(), kind + 1));
        kinds[kind] = {what == "event" ? EventKind::Use::row : EventKind::Use::nothing, tables_.size() - 1};
      } while (!line.empty());
    } else if ((what != "columns" && what != "before" && what != "since") || tables_.empty()) {
      throw Error(fmt::format("tables.txt: line {} is no rule", number));
    } else if (what == "columns" || (version < take_word(line)) == (what == "before")) {
      while (!line.empty()) tables_.back().columns.push_back(column_of(take_word(line)));
    }
  });
}

size_t ReportLayout::place(std::string_view table) const {
  const auto found = std::ranges::find(tables_, table, &ReportTable::name);
  return static_cast<size_t>(found - tables_.begin());
}

EventKind ReportLayout::kind_of(const EventHead& event) const {
  EventKind kind;
  const uint64_t number = kind_within(event);
  if (event.payload_number < kinds_.size() && number < kinds_[event.payload_number].size()) {
    kind = kinds_[event.payload_number][to_size(number)];
  }
  // Marks of a tracer: exports show those of two classes as calls.
  const bool is_mark = event.payload_number == payload::kHost && event.type == kTypeOfMarks;
  if (is_mark && (kind.use != EventKind::Use::row || tables_[kind.table].name != "OSRT_API")) {
    return {EventKind::Use::nothing};
  }
  // Processes without a name and a path are not in an export.
  const bool is_nameless = event.payload_number == payload::kProcess &&
                           protobuf_bytes(event.payload, kNameOfProcess).empty() &&
                           protobuf_bytes(event.payload, kPathOfProcess).empty();
  return is_nameless ? EventKind{EventKind::Use::nothing} : kind;
}

}  // namespace nsys
}  // namespace cgpu
