#include "table/json.h"

#include <fmt/format.h>

#include <iterator>
#include <ostream>
#include <sstream>

#include "base/json_text.h"
#include "table/row_units.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {
namespace {

void append_field(std::string& out, std::string_view key, std::string_view value) {
  append_json_string(out, key);
  out += ": ";
  append_json_string(out, value);
}

void append_column(std::string& out, const Table& table, size_t number) {
  const Column& column = table.columns[number];
  out += '{';
  append_field(out, "name", column.name);
  out += ", ";
  append_field(out, "type", text_of(column.type));
  out += ", ";
  append_field(out, "unit", column.unit);
  out += ", ";
  append_field(out, "about", column.about);
  if (is_in_row_unit(table, number)) {
    out += ", ";
    append_field(out, "unit_of_row", "unit");
  }
  out += '}';
}

void append_value(std::string& out, const ColumnValues& values, size_t row) {
  if (values.is_absent(row)) {
    out += "null";
  } else if (values.type() == ColumnType::text) {
    append_json_string(out, values.text(row));
  } else {
    append_exact(out, values, row);
  }
}

constexpr const char* kFirst = "\n";
constexpr const char* kNext = ",\n";

/// Writes all that comes before the rows of a table.
void begin_table_object(std::ostream& out, const Table& table) {
  std::string text = "{";
  append_field(text, "about", table.about);
  if (!table.per.empty()) {
    text += ", ";
    append_field(text, "per", table.per);
  }
  if (!table.sorted_by.empty()) {
    text += ", ";
    append_field(text, "sorted_by", table.sorted_by);
  }
  text += ", \"columns\": [";
  const char* separator = kFirst;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    text += separator;
    append_column(text, table, column);
    separator = kNext;
  }
  out << text << "\n], \"rows\": [";
}

/// Writes rows, one a line; returns what separates them from the next one.
const char* write_rows(std::ostream& out, const Table& table, const char* separator) {
  std::string text;
  for (size_t row = 0; row < table.row_count(); ++row) {
    text += separator;
    separator = kNext;
    text += '[';
    for (size_t column = 0; column < table.columns.size(); ++column) {
      if (column > 0) text += ", ";
      append_value(text, table.values(column), row);
    }
    text += ']';
    if (text.size() < kWrittenAtATime) continue;
    out << text;
    text.clear();
  }
  out << text;
  return separator;
}

void end_table_object(std::ostream& out) {
  out << "\n]}";
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  if (is_printable_ascii(text) && text.find_first_of("\"\\") == std::string_view::npos) {  // nearly every text
    out += text;
    out += '"';
    return;
  }
  const std::string valid = valid_utf8(text);
  for (size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    switch (byte) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (byte < 0x20 || byte == 0x7F) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
        } else if (byte == 0xC2 && static_cast<unsigned char>(valid[i + 1]) < 0xA0) {  // U+0080 to U+009F
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(valid[++i]));
        } else {
          out += valid[i];
        }
    }
  }
  out += '"';
}

JsonWriter::JsonWriter(std::ostream& out, std::string_view command, const std::vector<std::string>& inputs)
    : out_(out) {
  std::string head = "{";
  append_field(head, "schema", "cgpu/1");
  head += ", ";
  append_field(head, "command", command);
  head += ", \"inputs\": [";
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i > 0) head += ", ";
    append_json_string(head, inputs[i]);
  }
  out_ << head << "], \"tables\": {";
}

void write_table_object(std::ostream& out, const Table& table) {
  begin_table_object(out, table);
  write_rows(out, table, kFirst);
  end_table_object(out);
}

void JsonWriter::add(const Table& table) {
  add_batch(table);
  end_table();
}

void JsonWriter::add_batch(const Table& batch) {
  if (!in_table_) {
    std::string head = has_table_ ? kNext : kFirst;
    append_json_string(head, batch.name);
    out_ << head << ": ";
    begin_table_object(out_, batch);
    has_table_ = true;
    in_table_ = true;
    separator_ = kFirst;
  }
  separator_ = write_rows(out_, batch, separator_);
}

void JsonWriter::end_table() {
  end_table_object(out_);
  in_table_ = false;
}

void JsonWriter::finish() {
  out_ << "\n}}\n";
}

void write_json(std::ostream& out, std::string_view command, const std::vector<std::string>& inputs,
                const std::vector<Table>& tables) {
  JsonWriter writer(out, command, inputs);
  for (const Table& table : tables) writer.add(table);
  writer.finish();
}

std::string render_json(std::string_view command, const std::vector<std::string>& inputs,
                        const std::vector<Table>& tables) {
  std::ostringstream out;
  write_json(out, command, inputs, tables);
  return std::move(out).str();
}

}  // namespace cgpu
