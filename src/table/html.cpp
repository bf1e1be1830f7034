#include "table/html.h"

#include <fmt/format.h>

#include <iterator>

#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {
namespace {

constexpr size_t kTooltipFrom = 60;  // columns; a style sheet may cut a text that is longer than this

const char* class_of(const Column& column) {
  return column.type == ColumnType::text ? "text" : "number";
}

/// What the tooltip of a cell says; empty where the cell itself says it all.
std::string tooltip(const Cell& cell, const Column& column, const std::string& shown) {
  if (is_absent(cell)) return "";
  std::string exact = exact_cell(cell);
  if (std::holds_alternative<std::string>(cell)) return shown.size() > kTooltipFrom ? exact : "";
  if (!column.unit.empty() && column.unit != "count") exact += " " + column.unit;
  return exact == shown ? "" : exact;
}

void append_title(std::string& out, const std::string& title) {
  if (!title.empty()) fmt::format_to(std::back_inserter(out), " title=\"{}\"", escape_html(title));
}

void append_cell(std::string& out, const Cell& cell, const Column& column, const HtmlLinks& links) {
  const std::string shown = format_cell(cell, column);
  out += "<td class=\"";
  out += class_of(column);
  out += is_absent(cell) ? " absent\"" : "\"";
  append_title(out, tooltip(cell, column, shown));
  out += '>';
  const auto* text = std::get_if<std::string>(&cell);
  const auto link = text == nullptr ? links.end() : links.find(*text);
  if (link != links.end()) fmt::format_to(std::back_inserter(out), "<a href=\"{}\">", escape_html(link->second));
  out += escape_html(shown);
  if (link != links.end()) out += "</a>";
  out += "</td>";
}

}  // namespace

std::string render_html_table(const Table& table, size_t max_rows, const HtmlLinks& links) {
  const size_t rows = shown_rows(table, max_rows);
  std::string out;
  const auto append = std::back_inserter(out);
  fmt::format_to(append, "<table class=\"cgpu-table\" data-table=\"{}\">\n", escape_html(table.name));
  if (!table.about.empty()) fmt::format_to(append, "<caption>{}</caption>\n", escape_html(table.about));

  out += "<thead><tr>";
  const std::vector<std::string> titles = headings(table.columns);
  for (size_t i = 0; i < titles.size(); ++i) {
    fmt::format_to(append, "<th class=\"{}\"", class_of(table.columns[i]));
    append_title(out, table.columns[i].about);
    fmt::format_to(append, ">{}</th>", escape_html(titles[i]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (size_t r = 0; r < rows; ++r) {
    out += "<tr>";
    for (size_t i = 0; i < titles.size(); ++i) append_cell(out, table.cell(r, i), table.columns[i], links);
    out += "</tr>\n";
  }
  out += "</tbody>\n";
  if (rows < table.row_count()) {
    fmt::format_to(append, "<tfoot><tr><td colspan=\"{}\">{}</td></tr></tfoot>\n", titles.size(),
                   format_more_rows(table.row_count() - rows));
  }
  out += "</table>\n";
  return out;
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace cgpu
