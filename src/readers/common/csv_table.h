// The records of a CSV file by the names of its columns, which differ from version to version of what wrote it.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/rule_lines.h"
#include "model/notes.h"
#include "readers/common/csv.h"

namespace cgpu {

class CsvTable {
 public:
  /// Reads the header.
  explicit CsvTable(TextSource& source) : source_(source), csv_(source) { csv_.next(header_); }

  bool next() { return csv_.next(row_); }

  static constexpr size_t kAbsent = SIZE_MAX;
  const std::vector<std::string>& header() const { return header_; }
  /// The place of the first of these names that there is, with blanks around it or not.
  size_t column(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      const auto found = std::ranges::find(header_, name, [](const std::string& column) { return trim(column); });
      if (found != header_.end()) return static_cast<size_t>(found - header_.begin());
    }
    return kAbsent;
  }
  bool has(std::initializer_list<std::string_view> names) const {
    return std::ranges::all_of(names, [&](std::string_view name) { return column({name}) != kAbsent; });
  }

  size_t fields() const { return row_.size(); }
  /// "" where the record is too short.
  std::string_view text(size_t column) const {
    return column < row_.size() ? std::string_view(row_[column]) : std::string_view();
  }

  /// Notes where the table, which is called `name`, or the file below it is cut off.
  void note_damage(const std::string& name, Notes& notes) const {
    if (csv_.unfinished()) notes.add("truncated_input", 1, name + " ends inside a record", true);
    if (!source_.damage().empty()) notes.add("truncated_input", 1, source_.damage(), true);
  }

 private:
  TextSource& source_;
  CsvReader csv_;
  std::vector<std::string> header_;
  std::vector<std::string> row_;
};

}  // namespace cgpu
