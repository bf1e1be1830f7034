#include "cli/compared_output.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/terminal.h"
#include "report/report.h"
#include "table/csv.h"
#include "table/filter.h"
#include "table/html.h"
#include "table/json.h"
#include "table/markdown.h"
#include "table/row_units.h"
#include "table/text.h"

namespace cgpu {

namespace {

Table without_empty_columns(Table table) {
  for (size_t column = table.columns.size(); column-- > 0;) {
    const auto is_absent_in = [&](const RowView& row) { return is_absent(row[column]); };
    const Table::Rows rows = table.rows();
    if (!table.empty() && std::all_of(rows.begin(), rows.end(), is_absent_in)) table.erase_column(column);
  }
  return table;
}

/// "compare_call_tree" -> "Call tree"
std::string heading_of(std::string name) {
  constexpr std::string_view prefix = "compare_";
  if (name.starts_with(prefix)) name.erase(0, prefix.size());
  std::replace(name.begin(), name.end(), '_', ' ');
  if (!name.empty()) name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return name;
}

void write_text(std::ostream& out, const Compared& compared, const RowsOnScreen& rows) {
  out << compared.words;
  for (const Table& one : compared.tables) {
    const std::optional<size_t> most = rows(one);
    if (!most) continue;
    TextOptions options = text_options();
    options.max_rows = *most;
    if (!compared.words.empty()) out << '\n';
    out << render_text(compared.hides_empty_columns ? without_empty_columns(one) : one, options);
  }
}

void write_markdown(std::ostream& out, const Compared& compared) {
  if (!compared.words.empty()) out << "# What changed\n\n" << markdown_code(compared.words);
  for (const Table& one : compared.tables)
    out << "\n## " << heading_of(one.name) << "\n\n" << render_markdown(with_row_units(one));
}

void write_html(std::ostream& out, const Compared& compared) {
  constexpr size_t kRowsOfEach = 200;
  Report report;
  report.title = compared.title;
  for (size_t begin = 0; begin < compared.words.size();) {
    const size_t end = std::min(compared.words.find('\n', begin), compared.words.size());
    report.headline.push_back(compared.words.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const Table& one : compared.tables) {
    Section& section = report.sections.emplace_back();
    section.title = heading_of(one.name);
    section.summary = one.about;
    section.table = one;
    section.page = with_row_units(one);
    take_top(section.page, kRowsOfEach);
  }
  out << render_report_html(report);
}

}  // namespace

void write_compared(std::ostream& out, const std::string& format, const Compared& compared, const RowsOnScreen& rows) {
  if (format == "json") return write_json(out, "compare", compared.inputs, compared.tables);
  if (format == "csv") return CsvWriter(out, compared.csv_text).add(compared.tables.front());
  if (format == "html") return write_html(out, compared);
  if (format == "md") return write_markdown(out, compared);
  write_text(out, compared, rows);
}

}  // namespace cgpu
