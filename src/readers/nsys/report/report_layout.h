// The tables of an export, as the messages of a report hold them (tables.txt), and which events are their rows; the
// names of the others (event_names.txt).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu::nsys {

/// Numbers of fields in messages of rows are below this.
inline constexpr size_t kReportFields = 128;

/// Which field of the message of a row is a column; it is null where the field is absent.
struct ReportColumn {
  enum class Computed : uint8_t { no, row_number, call_chain, depth };
  std::string_view name;
  uint8_t field = 0;       // of the message
  uint8_t inner = 0;       // of the message in that field; 0: the value is the field itself
  uint8_t substitute = 0;  // beside it, where it is absent; 0: none
  Computed computed = Computed::no;
};

struct ReportTable {
  std::string_view name;
  std::vector<ReportColumn> columns;  // in the order of an export
};

/// What an event says of itself before its fields are looked at.
struct EventHead {
  uint64_t type = 0;
  uint32_t payload_number = 0;
  std::string_view payload;
  const char* payload_field = nullptr;  // where the field begins that holds it
};
/// Type and payload of an event's message. Absent where it is damaged or has no payload.
std::optional<EventHead> head_of_event(std::string_view event);
/// The name of an event: that of its type, and of its class where it has one.
std::string name_of_event(const EventHead& event);

/// What becomes of an event.
struct EventKind {
  enum class Use : uint8_t {
    row,      // of `table`
    nothing,  // understood, and in no table of an export either
    unread    // not understood
  };
  Use use = Use::unread;
  size_t table = 0;  // its place in ReportLayout::tables
};

class ReportLayout {
 public:
  /// Of a report of this version (as in "2025.1.1.110").
  explicit ReportLayout(std::string_view version);

  const std::vector<ReportTable>& tables() const { return tables_; }
  /// The place of a table; the number of tables for one that is not listed.
  size_t place(std::string_view table) const;
  /// One that is listed.
  const ReportTable& table(std::string_view name) const { return tables_[place(name)]; }

  EventKind kind_of(const EventHead& event) const;

 private:
  std::vector<ReportTable> tables_;
  std::array<std::vector<EventKind>, 128> kinds_;  // by number of the payload, then kind
};

}  // namespace cgpu::nsys
