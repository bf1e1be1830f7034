#include "cli/compared_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string_view>

#include "base/ascii.h"
#include "cli/terminal.h"
#include "report/report.h"
#include "table/csv.h"
#include "table/filter.h"
#include "table/html.h"
#include "table/json.h"
#include "table/markdown.h"
#include "table/row_units.h"
#include "table/terminal_style.h"
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

constexpr std::string_view kPrefix = "compare_";

/// "compare_call_tree" -> "Call tree"
std::string heading_of(std::string name) {
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  std::replace(name.begin(), name.end(), '_', ' ');
  return capitalized(name);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);) lines.push_back(line);
  return lines;
}

/// Lines that are too long for a terminal, wrapped with their own indent and that of a list of changes.
std::string fitted(const MarkedText& lines, const TextOptions& options) {
  if (!options.terminal) return lines.plain();  // without colour, too
  constexpr size_t kIndentOfChanges = 4;
  std::string out;
  for (const std::string& line : lines_of(lines.plain())) {
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const size_t next = indent == 0 ? 0 : indent + kIndentOfChanges;
    out += wrap_indented(line, options.width, next);
  }
  return options.color ? lines.coloured(out) : out;
}

/// Of the cell `delta` of a figure of compare_summary as text shows its name ("idle", "flops per s") that is `ratio`
/// times what it was: "" where neither way is better or it hardly changed.
std::string_view style_of_figure(std::string_view figure, double ratio) {
  constexpr double kNoticed = 0.01;
  if (!(std::abs(ratio - 1) >= kNoticed)) return "";  // also where it is no number
  constexpr std::array<std::string_view, 4> kCosts = {"time", "idle", "exposed", "waiting"};
  constexpr std::array<std::string_view, 3> kRates = {"flops per s", "op bytes per s", "mfu"};
  const bool is_cost = std::any_of(kCosts.begin(), kCosts.end(), [&](std::string_view cost) {
    return figure == cost || figure.starts_with(std::string(cost) + ' ');
  });
  if (is_cost) return terminal_style::of_change(ratio - 1);
  const bool is_rate = std::find(kRates.begin(), kRates.end(), figure) != kRates.end();
  return is_rate ? terminal_style::of_change(1 - ratio) : "";
}

/// The figures that differ, under names for people, without bounds.
Table changed_figures(const Table& summary) {
  Table shown = summary;
  shown.about.clear();
  shown.name.clear();
  const size_t a = summary.column("a");
  const size_t b = summary.column("b");
  shown.keep_rows([&](RowView row) { return row[a] != row[b]; });
  const size_t name = shown.column("name");
  shown.map_text(name, [](std::string_view figure) {
    for (const std::string_view shown_with_value : {"_ns", "_pct"}) {
      if (figure.ends_with(shown_with_value)) figure.remove_suffix(shown_with_value.size());
    }
    std::string text(figure);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
  });
  for (const char* bound : {"high", "low"}) shown.erase_column(shown.column(bound));
  return shown;
}

void write_text(std::ostream& out, const Compared& compared, const RowsOnScreen& rows) {
  const TextOptions options = text_options(compared.output);
  out << fitted(compared.words, options) << fitted(compared.causes, options);
  for (const Table& one : compared.tables) {
    const std::optional<size_t> most = rows(one);
    if (!most) continue;
    TextOptions of_table = options;
    of_table.max_rows = *most;
    if (!compared.words.empty()) out << '\n';
    out << render_text(compared.hides_empty_columns ? without_empty_columns(one) : one, of_table);
  }
}

void write_markdown(std::ostream& out, const Compared& compared) {
  if (!compared.words.empty())
    out << "# " << compared.words_title << "\n\n" << markdown_code((compared.words + compared.causes).plain());
  for (const Table& one : compared.tables)
    out << "\n## " << heading_of(one.name) << "\n\n" << render_markdown(with_row_units(one));
}

void write_html(std::ostream& out, const Compared& compared) {
  constexpr size_t kRowsOfEach = 200;
  Report report;
  report.title = compared.title;
  report.headline = lines_of((compared.words + compared.causes).plain());
  if (!report.headline.empty()) {
    report.verdict = report.headline.front();
    report.headline.erase(report.headline.begin());
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

void choose_rows(std::vector<Table>& tables, const Filter& filter, const std::string& sort, std::optional<size_t> top,
                 const std::string& format) {
  for (Table& table : tables) {
    filter.apply(table);
    if (!sort.empty()) sort_rows(table, sort);
    if (top && format != "text") take_top(table, *top);
  }
}

bool is_listed_in_words(const Table& table) {
  return table.name == "compare_causes" || table.name == "compare_idle" || table.name == "compare_groups";
}

void write_overview(std::ostream& out, const Compared& compared, size_t rows) {
  TextOptions options = text_options(compared.output);
  out << fitted(compared.words, options);
  const auto is_of_figures = [](const Table& one) { return one.name == "compare_summary"; };
  const auto is_shown = [&](const Table& one) { return !one.empty() && !is_listed_in_words(one); };
  auto shown = std::find_if(compared.tables.begin(), compared.tables.end(),
                            [&](const Table& one) { return is_of_figures(one) && !one.empty(); });
  if (shown == compared.tables.end()) {
    shown = std::find_if(compared.tables.begin(), compared.tables.end(),
                         [&](const Table& one) { return is_shown(one) && one.name != "compare_findings"; });
  }
  if (shown != compared.tables.end()) {
    const bool of_figures = is_of_figures(*shown);
    const Table table = of_figures ? changed_figures(*shown) : *shown;
    options.max_rows = of_figures ? 0 : rows;
    options.bare = of_figures;
    if (of_figures) {
      options.cell_style = [&](const RowView& row, size_t column) {
        const Cell ratio = row[table.column("ratio")];
        if (column != table.column("delta") || is_absent(ratio)) return std::string_view();
        return style_of_figure(std::get<std::string>(row[table.column("name")]), std::get<double>(ratio));
      };
    }
    out << '\n' << render_text(table, options);
    const size_t same = shown->row_count() - table.row_count();
    if (same > 0) out << fmt::format("{} figure{} the same in both.\n", same, same == 1 ? " is" : "s are");
  }
  if (!compared.causes.empty()) out << '\n' << fitted(compared.causes, options);
  std::string others;
  for (const Table& one : compared.tables) {
    if (is_shown(one)) others += (others.empty() ? "" : ", ") + one.name.substr(kPrefix.size());
  }
  if (!others.empty()) out << '\n' << wrap_text("Tables: --all, or --table NAME of " + others + ".", options.width);
}

void write_compared(std::ostream& out, const std::string& format, const Compared& compared, const RowsOnScreen& rows) {
  if (format == "json") return write_json(out, compared.command, compared.inputs, compared.tables);
  if (format == "csv") return CsvWriter(out, compared.csv_text).add(compared.tables.front());
  if (format == "html") return write_html(out, compared);
  if (format == "md") return write_markdown(out, compared);
  write_text(out, compared, rows);
}

}  // namespace cgpu
