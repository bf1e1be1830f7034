#include "table/markdown.h"

#include <fmt/format.h>

#include <iterator>

#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
}

/// Whether the character at `at` could be taken for markup where it is.
bool is_markup(std::string_view text, size_t at) {
  const char before = at > 0 ? text[at - 1] : ' ';
  const char after = at + 1 < text.size() ? text[at + 1] : ' ';
  switch (text[at]) {
    case '_':
      return !is_word(before) || !is_word(after);  // inside a word it is no emphasis
    case ':':
      return after == '/';  // bare web addresses become links
    case '.':
      return before == 'w' || before == 'W';
    default:
      return std::string_view("\\`*[]|~<>&$@#!").find(text[at]) != std::string_view::npos;
  }
}

/// Whether the hosting site would act on the finished page's text: @mentions, #references, $math$, :emoji:.
bool needs_code(std::string_view text) {
  if (text.find_first_of("@#$") != std::string_view::npos) return true;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == ':' && (is_word(text[i + 1]) || text[i + 1] == ':')) return true;
  }
  return false;
}

void append_cell(std::string& out, std::string_view text) {
  out += "| ";
  out += escape_markdown(text);
  out += ' ';
}

}  // namespace

std::string render_markdown(const Table& table, size_t max_rows, size_t more_rows) {
  const size_t rows = shown_rows(table, max_rows);
  std::string out;
  if (!table.about.empty()) out += escape_markdown(table.about) + "\n\n";
  for (const std::string& title : headings(table.columns)) append_cell(out, title);
  out += "|\n";
  for (const Column& column : table.columns) out += column.type == ColumnType::text ? "| --- " : "| ---: ";
  out += "|\n";
  for (size_t r = 0; r < rows; ++r) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      append_cell(out, format_cell(table.cell(r, i), table.columns[i]));
    }
    out += "|\n";
  }
  const size_t left_out = table.row_count() - rows + more_rows;
  if (left_out > 0) out += fmt::format("\n{}\n", format_more_rows(left_out));
  return out;
}

std::string markdown_code(std::string_view lines) {
  std::string fence = "```";
  while (lines.find(fence) != std::string_view::npos) fence += '`';
  return fmt::format("{0}\n{1}{0}\n", fence, lines);
}

std::string escape_markdown(std::string_view text) {
  const std::string line = printable(text);
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (is_markup(line, i)) {
      fmt::format_to(std::back_inserter(out), "&#{};", static_cast<int>(line[i]));
    } else {
      out += line[i];
    }
  }
  return needs_code(line) ? "<code>" + out + "</code>" : out;
}

}  // namespace cgpu
