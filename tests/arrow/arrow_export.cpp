// A shared library for tests/arrow_test.py: tables made up for the test, handed out as Arrow streams, with what the
// consumer must find there.
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "table/arrow.h"
#include "table/json.h"

namespace {

using cgpu::Column;
using cgpu::ColumnRole;
using cgpu::ColumnType;
using cgpu::ColumnValues;
using cgpu::Table;

std::vector<Column> columns() {
  return {{"name", ColumnType::text, "", "a name of the \xC3\xA9vent", ColumnRole::key},
          {"start_ns", ColumnType::integer, "ns", "from the start", ColumnRole::moment},
          {"share_pct", ColumnType::real, "%", "of all", ColumnRole::measure},
          {"count", ColumnType::integer, "count", "never absent", ColumnRole::measure},
          {"remark", ColumnType::text, "", "mostly absent", ColumnRole::text}};
}

/// Rows with everything that a table may hold: the limits of numbers, absent cells, empty and long texts.
Table rows(int64_t first, int64_t count) {
  Table table("events", "events that were made up", columns());
  for (int64_t row = first; row < first + count; ++row) {
    cgpu::Row cells(5);
    if (row % 7 != 3) cells[0] = row % 5 == 0 ? "" : std::string(static_cast<size_t>(row % 90), 'n') + "\xE2\x82\xAC";
    if (row % 3 != 0) cells[1] = row % 11 == 1 ? INT64_MIN : row % 11 == 2 ? INT64_MAX : row * row * row;
    if (row % 4 != 1) cells[2] = std::ldexp(static_cast<double>(row) / 3 - 10, static_cast<int>(row % 200) - 100);
    cells[3] = row;
    if (row % 50 == 49) cells[4] = "row " + std::to_string(row);
    table.append(cells);
  }
  return table;
}

/// The batches of each stream; one batch is exported as a table.
std::vector<Table> batches(const std::string& name) {
  if (name == "table") return {rows(0, 1000)};
  if (name == "one_row") return {rows(49, 1)};
  if (name == "without_rows") return {rows(0, 0)};
  if (name == "batches") return {rows(0, 300), rows(300, 0), rows(300, 1), rows(301, 70'000)};
  if (name == "shared_dictionary") {
    const auto texts = std::make_shared<cgpu::TextDictionary>();
    for (const char* text : {"one", "two", "three", "never used"}) texts->code(text);
    std::vector<Table> all(3, Table("shared", "batches of one dictionary", {columns()[0]}));
    for (size_t i = 0; i < all.size(); ++i) {
      ColumnValues values(ColumnType::text);
      values.append_codes(texts, std::vector<int32_t>{static_cast<int32_t>(i), -1, 2, 0});
      all[i].set_values(0, std::move(values));
    }
    return all;
  }
  if (name == "broken_utf8") {
    Table table("broken", "texts that are no UTF-8", {columns()[0]});
    for (const char* text : {"good", "\xFF", "cut \xE2\x82", "\xAC", ""}) table.append({std::string(text)});
    return {table};
  }
  throw std::logic_error("no such stream");
}

std::map<std::string, std::vector<std::vector<const void*>>>& addresses() {
  static std::map<std::string, std::vector<std::vector<const void*>>> addresses;  // by stream, batch and column
  return addresses;
}

void note_addresses(const std::string& name, const Table& table) {
  std::vector<const void*>& of_batch = addresses()[name].emplace_back();
  for (size_t column = 0; column < table.columns.size(); ++column) {
    const ColumnValues& values = table.values(column);
    of_batch.push_back(values.type() == ColumnType::integer ? static_cast<const void*>(values.integers().data())
                       : values.type() == ColumnType::real  ? static_cast<const void*>(values.reals().data())
                                                            : static_cast<const void*>(values.codes().data()));
  }
}

std::weak_ptr<const void>& watched() {
  static std::weak_ptr<const void> watched;
  return watched;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// Fills an ArrowArrayStream.
void open_stream(const char* name, ArrowArrayStream* out) {
  addresses()[name].clear();
  const auto kept = std::make_shared<int>();  // by the stream
  watched() = kept;
  if (name == std::string("failing")) {
    cgpu::export_batches(
        rows(0, 0),
        [kept, at = int64_t{0}]() mutable -> std::optional<Table> {
          if (at++ == 1) throw cgpu::Error("trace.json", "has vanished");
          return rows(0, 10);
        },
        *out);
    return;
  }
  std::vector<Table> all = batches(name);
  if (all.size() == 1) {
    const auto table = std::make_shared<const Table>(std::move(all[0]));
    note_addresses(name, *table);
    watched() = table;
    return cgpu::export_table(table, *out);
  }
  for (const Table& batch : all) note_addresses(name, batch);
  const Table declared(all[0].name, all[0].about, all[0].columns);
  cgpu::export_batches(
      declared,
      [kept, all = std::move(all), at = size_t{0}]() mutable -> std::optional<Table> {
        if (at == all.size()) return std::nullopt;
        return std::move(all[at++]);
      },
      *out);
}

/// All rows of a stream as the program writes them.
const char* json_of(const char* name) {
  static std::string text;
  std::vector<Table> all = batches(name);
  Table whole(all[0].name, all[0].about, all[0].columns);
  for (const Table& batch : all) whole.append_all(batch);
  text = cgpu::render_json("table", {}, {whole});
  return text.c_str();
}

/// Where the values of a column of the opened stream are.
const void* address_of(const char* name, uint64_t batch, uint64_t column) {
  return addresses()[name].at(batch).at(column);
}

/// Whether the stream that was opened last, or its table, is still kept by somebody.
int is_alive() {
  return watched().expired() ? 0 : 1;
}
}
#pragma GCC visibility pop
