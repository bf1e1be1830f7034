#include "table/csv.h"

#include <ostream>
#include <sstream>

#include "table/units.h"

namespace cgpu {
namespace {

void append_text(std::string& line, const std::string& text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) {
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
  for (const Row& row : table.rows) {
    line.clear();
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += ',';
      if (const auto* text = std::get_if<std::string>(&row[i])) {
        append_text(line, *text);
      } else {
        line += exact_cell(row[i]);
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
