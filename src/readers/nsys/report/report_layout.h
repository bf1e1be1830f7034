// The tables of an export, as the messages of a report hold them (tables.txt), and which events are their rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

  /// What the events are whose payload has this number and is of this kind. O(1).
  EventKind kind_of(uint32_t payload, uint64_t kind) const;

 private:
  std::vector<ReportTable> tables_;
  std::array<std::vector<EventKind>, 128> kinds_;  // by number of the payload, then kind
};

}  // namespace cgpu::nsys
