#include "table/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "table/unicode.h"

namespace cgpu {

bool is_absent(const Cell& cell) {
  if (const double* real = std::get_if<double>(&cell)) return !std::isfinite(*real);
  return std::holds_alternative<std::monostate>(cell);
}

size_t Table::column(std::string_view wanted) const {
  std::string known;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == wanted) return i;
    if (i > 0) known += ", ";
    known += printable(columns[i].name);
  }
  throw Error(fmt::format("table {} has no column '{}' (it has: {})", name, printable(wanted), known));
}

size_t shown_rows(const Table& table, size_t max_rows) {
  return max_rows == 0 ? table.rows.size() : std::min(max_rows, table.rows.size());
}

}  // namespace cgpu
