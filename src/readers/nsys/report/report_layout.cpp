#include "readers/nsys/report/report_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/rule_lines.h"
#include "base/to_size.h"

namespace cgpu {

extern const std::string_view builtin_nsys_tables;  // tables.txt

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

}  // namespace

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

EventKind ReportLayout::kind_of(uint32_t payload, uint64_t kind) const {
  if (payload >= kinds_.size() || kind >= kinds_[payload].size()) return {};
  return kinds_[payload][to_size(kind)];
}

}  // namespace nsys
}  // namespace cgpu
