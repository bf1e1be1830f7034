#include "analysis/rows_by_run.h"

#include <algorithm>
#include <string>

#include "analysis/rows_of_version_9.h"
#include "table/packed_column.h"

namespace cgpu {

namespace {

/// Appends rows of a table that has some of the columns.
void append_values(Table& rows, std::vector<std::optional<ColumnValues>> values, uint64_t count) {
  Table read(rows.name, rows.about, rows.columns);
  for (size_t column = 0; column < rows.columns.size(); ++column) {
    if (!values[column]) {
      values[column].emplace(rows.columns[column].type);
      for (uint64_t row = 0; row < count; ++row) values[column]->append_absent();
    }
    read.set_values(column, std::move(*values[column]));
  }
  rows.append_all(read);
}

size_t place_of(const Table& rows, std::string_view column) {
  const auto found =
      std::find_if(rows.columns.begin(), rows.columns.end(), [&](const Column& one) { return one.name == column; });
  return static_cast<size_t>(found - rows.columns.begin());
}

}  // namespace

void assign_run_to_rows(Table& rows, const RunIndex& index, size_t run) {
  const int64_t rank = index.facts.run(run).rank;
  for (size_t column = 0; column < rows.columns.size(); ++column) {
    const bool is_rank = rows.columns[column].name == "rank" && rows.columns[column].role == ColumnRole::key;
    if (!is_rank && rows.columns[column].role != ColumnRole::moment) continue;
    const ColumnValues& values = rows.values(column);
    ColumnValues assigned(ColumnType::integer);
    assigned.reserve(values.size());
    for (size_t row = 0; row < values.size(); ++row) {
      if (is_rank) {
        assigned.append(rank);
      } else if (values.is_absent(row)) {
        assigned.append_absent();
      } else {
        assigned.append(values.integer(row) - index.facts.zeros()[run]);
      }
    }
    rows.set_values(column, std::move(assigned));
  }
}

void write_rows(MessageWriter& message, const Table& rows) {
  std::vector<std::string> names;
  for (const Column& column : rows.columns) names.push_back(column.name);
  if (rows.empty()) names.clear();
  message(static_cast<uint64_t>(rows.row_count()), names);
  message.each(names.size(), [&](size_t column) { message(packed(rows.values(column))); });
}

void read_rows(MessageReader& message, Table& rows) {
  uint64_t count = 0;
  std::vector<std::string> names;
  message(count, names);
  std::vector<std::optional<ColumnValues>> values(rows.columns.size());
  bool has_values = count == 0;
  message.each(0, [&](size_t i) {
    PackedColumn column;
    message(column);
    const size_t place = i < names.size() ? place_of(rows, names[i]) : rows.columns.size();
    if (place == rows.columns.size()) return;
    values[place] = unpacked(column, rows.columns[place].type, count);
    if (!values[place]) message.fail("holds a column that does not fit its table");
    has_values = true;
  });
  if (!has_values) message.fail("holds rows without values");
  if (count > 0) append_values(rows, std::move(values), count);
}

void read_rows(PositionalReader& bytes, Table& rows) {
  uint64_t count = 0;
  bytes(count);
  std::vector<std::optional<ColumnValues>> values(rows.columns.size());
  const std::vector<std::string_view> names = columns_of_version_9(rows.name);
  if (names.empty()) bytes.fail("holds rows of a table that version 9 did not have");
  for (const std::string_view name : names) {
    const size_t place = place_of(rows, name);
    if (place == rows.columns.size()) bytes.fail("holds a column that there is no more: " + std::string(name));
    values[place] = positional_values(bytes, rows.columns[place].type, count);
  }
  if (count > 0) append_values(rows, std::move(values), count);
}

}  // namespace cgpu
