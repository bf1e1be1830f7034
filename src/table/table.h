// The table: what every analysis answers with, and all that a renderer knows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cgpu {

enum class ColumnType : uint8_t { integer, real, text };  // "int", "float", "text" in JSON

struct Column {
  std::string name;  // contract name, with the unit as suffix (_ns, _pct, _bytes)
  ColumnType type = ColumnType::text;
  std::string unit;   // "ns", "%", "bytes", "GB/s", "count", "" for none
  std::string about;  // one line; a percentage names its whole
};

/// monostate: absent (null in JSON, empty in CSV), which is not 0.
using Cell = std::variant<std::monostate, int64_t, double, std::string>;
/// One cell a column.
using Row = std::vector<Cell>;

/// No value: monostate, or a double that is not finite (no renderer writes NaN or infinity).
bool is_absent(const Cell& cell);

struct Table {
  std::string name;
  std::string about;  // one line
  std::vector<Column> columns;
  std::vector<Row> rows;

  /// Index of a column; throws Error naming the columns there are.
  size_t column(std::string_view wanted) const;
};

/// How many rows a renderer shows under a limit, of which 0 means all.
size_t shown_rows(const Table& table, size_t max_rows);

}  // namespace cgpu
