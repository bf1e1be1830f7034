#include "table/csv.h"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <utility>

#include "base/parse_number.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {
namespace {

bool needs_quotes(std::string_view text) {
  return text.empty() ||
         std::any_of(text.begin(), text.end(), [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; });
}

void append_text(std::string& line, std::string_view text) {
  if (!needs_quotes(text)) {
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

/// Whether a spreadsheet may take a text for a formula.
bool is_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\n").find(text[0]) != std::string_view::npos &&
         !parse_number<double>(text);
}

}  // namespace

void CsvWriter::append(std::string_view text) {
  if (as_ == CsvText::exact) return append_text(text_, text);
  const bool is_formula_here = is_formula(text);
  if (!is_formula_here && is_printable_ascii(text)) return append_text(text_, text);
  append_text(text_, (is_formula_here ? "'" : "") + printable_lines(text));
}

void CsvWriter::add(const Table& batch) {
  text_.clear();
  if (!std::exchange(has_header_, true)) {
    for (const Column& column : batch.columns) {
      if (!text_.empty()) text_ += ',';
      append(column.name);
    }
    text_ += '\n';
  }
  for (size_t row = 0; row < batch.row_count(); ++row) {
    for (size_t column = 0; column < batch.columns.size(); ++column) {
      if (column > 0) text_ += ',';
      const ColumnValues& values = batch.values(column);
      if (values.type() != ColumnType::text) {
        append_exact(text_, values, row);
      } else if (!values.is_absent(row)) {
        append(values.text(row));
      }
    }
    text_ += '\n';
    if (text_.size() < kWrittenAtATime) continue;
    out_ << text_;
    text_.clear();
  }
  out_ << text_;
}

void write_csv(std::ostream& out, const Table& table, CsvText text) {
  CsvWriter(out, text).add(table);
}

std::string render_csv(const Table& table, CsvText text) {
  std::ostringstream out;
  write_csv(out, table, text);
  return std::move(out).str();
}

}  // namespace cgpu
