#include "table/csv.h"

#include <ostream>
#include <sstream>

#include "table/units.h"

namespace cgpu {
namespace {

void append_text(std::string& line, std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

}  // namespace

void write_csv(std::ostream& out, const Table& table) {
  std::string line;
  for (const Column& column : table.columns) {
    if (!line.empty()) line += ',';
    append_text(line, column.name);
  }
  out << line << '\n';
  for (size_t row = 0; row < table.row_count(); ++row) {
    line.clear();
    for (size_t column = 0; column < table.columns.size(); ++column) {
      if (column > 0) line += ',';
      const ColumnValues& values = table.values(column);
      if (values.type() != ColumnType::text) {
        append_exact(line, values, row);
      } else if (!values.is_absent(row)) {
        append_text(line, values.text(row));
      }
    }
    out << line << '\n';
  }
}

std::string render_csv(const Table& table) {
  std::ostringstream out;
  write_csv(out, table);
  return std::move(out).str();
}

}  // namespace cgpu
