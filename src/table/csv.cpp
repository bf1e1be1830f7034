#include "table/csv.h"

#include <algorithm>
#include <ostream>
#include <sstream>

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

void append_header(std::string& line, const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    if (!line.empty()) line += ',';
    append_text(line, column.name);
  }
  line += '\n';
}

}  // namespace

void CsvWriter::add(const Table& batch) {
  text_.clear();
  if (!has_header_) append_header(text_, batch.columns);
  has_header_ = true;
  for (size_t row = 0; row < batch.row_count(); ++row) {
    for (size_t column = 0; column < batch.columns.size(); ++column) {
      if (column > 0) text_ += ',';
      const ColumnValues& values = batch.values(column);
      if (values.type() != ColumnType::text) {
        append_exact(text_, values, row);
      } else if (!values.is_absent(row)) {
        append_text(text_, values.text(row));
      }
    }
    text_ += '\n';
    if (text_.size() < kWrittenAtATime) continue;
    out_ << text_;
    text_.clear();
  }
  out_ << text_;
}

void write_csv(std::ostream& out, const Table& table) {
  CsvWriter(out).add(table);
}

std::string render_csv(const Table& table) {
  std::ostringstream out;
  write_csv(out, table);
  return std::move(out).str();
}

}  // namespace cgpu
