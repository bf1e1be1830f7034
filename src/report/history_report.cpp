#include "report/history_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "base/ascii.h"
#include "report/cells.h"
#include "report/phrases.h"
#include "report/sections.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

/// How many bytes of all inputs are the folder that they share, with the slash behind it.
size_t common_folder(const Table& runs) {
  if (runs.empty()) return 0;
  std::string common = text_of(runs, runs.row(0), "input");
  common.erase(common.rfind('/') == std::string::npos ? 0 : common.rfind('/') + 1);
  for (const RowView row : runs.rows()) {
    const std::string input = text_of(runs, row, "input");
    while (!input.starts_with(common)) {
      const size_t slash = common.size() < 2 ? std::string::npos : common.rfind('/', common.size() - 2);
      common.erase(slash == std::string::npos ? 0 : slash + 1);
    }
  }
  return common.size();
}

/// "Run 37, night37.cgpu (2026-02-07 00:00:00)"
std::string named_run(const Table& table, RowView row) {
  return fmt::format("Run {}, {} ({})", integer_of(table, row, "run"), text_of(table, row, "input"),
                     has_value(table, row, "recorded") ? text_of(table, row, "recorded") : "of unknown time");
}

class HistoryReport {
 public:
  HistoryReport(std::vector<Table> tables, const std::vector<std::string>& remarks, const std::string& folder)
      : remarks_(remarks) {
    for (Table& table : tables) tables_[table.name] = std::move(table);
    const Table& runs = tables_.at("history");
    const size_t skipped = common_folder(runs);
    std::error_code ignored;
    for (const RowView row : runs.rows()) {
      const std::string input = text_of(runs, row, "input");
      if (fs::exists(input, ignored)) report_.links[input.substr(skipped)] = relative_address(input, folder);
    }
    for (auto& [name, table] : tables_) {
      for (size_t column = 0; column < table.columns.size(); ++column) {
        const std::string& role = table.columns[column].name;
        if (role != "input" && role != "before_input") continue;
        table.map_text(column, [&](std::string_view input) { return std::string(input.substr(skipped)); });
      }
    }
  }

  Report make() && {
    report_.title = "History of runs";
    report_.tables_command = "cgpu history INPUT --format json";
    add_verdict();
    add_headline();
    add_change_points();
    add_parts();
    add_runs();
    // Without pages: the pictures and the sentences have them.
    for (const char* name : {"history_changes", "history_latest"}) {
      report_.sections.push_back({name, "", tables_.at(name), {}, ""});
    }
    return std::move(report_);
  }

 private:
  void add_verdict() {
    const Table& runs = tables_.at("history");
    const Table& points = tables_.at("history_change_points");
    const Table& latest = tables_.at("history_latest");
    const auto count = static_cast<int64_t>(points.row_count());
    report_.verdict = fmt::format("{} of level in {}.", count == 0 ? "No change" : counted(count, "change"),
                                  counted(static_cast<int64_t>(runs.row_count()), "run"));
    for (const RowView row : latest.rows()) {
      report_.verdict +=
          fmt::format(" The last run, {}, against the {} of its level before it: {}.", text_of(latest, row, "input"),
                      counted(integer_of(latest, row, "baseline_runs"), "run"), text_of(latest, row, "verdict"));
    }
  }

  /// Each change point and what moved there; the newest first.
  void add_headline() {
    const Table& points = tables_.at("history_change_points");
    for (size_t i = points.row_count(); i-- > 0;) {
      const RowView row = points.row(i);
      report_.headline.push_back(fmt::format("{}: {}", named_run(points, row), text_of(points, row, "changed")));
      if (has_value(points, row, "moved")) {
        report_.headline.push_back(" Moved with it: " + text_of(points, row, "moved"));
      }
    }
    const Table& latest = tables_.at("history_latest");
    for (const RowView row : latest.rows()) {
      report_.headline.push_back(
          fmt::format("{}, the last run: {}", named_run(latest, row), text_of(latest, row, "why")));
    }
    report_.headline.insert(report_.headline.end(), remarks_.begin(), remarks_.end());
  }

  void add_change_points() {
    report_.sections.push_back(newest_first(
        "Change points",
        "Where quantities changed their level for good. Links lead to the last run of the level before and "
        "to the first run of the new level; the verdict is that of cgpu check --tolerance 1% on the runs "
        "of both levels.",
        "history_change_points", {"run", "recorded", "before_input", "input", "verdict", "why"}));
  }

  void add_parts() {
    constexpr size_t kMost = 8;  // of a change point
    Section section = newest_first(
        "What moved",
        "Parts of an iteration that surely moved between the levels, the largest change first. An op contains its "
        "kernels, and so does a class.",
        "history_parts",
        {"run", "kind", "name", "before_ns", "after_ns", "change_ns", "before", "after", "change", "unit", "change_pct",
         "verdict"});
    const Table all = section.page;
    std::map<int64_t, size_t> shown;  // by run
    section.page.keep_rows([&](RowView row) { return shown[integer_of(all, row, "run")]++ < kMost; });
    if (section.page.row_count() < all.row_count()) {
      section.cut = fmt::format("the {} largest changes of each change point", kMost);
    }
    report_.sections.push_back(std::move(section));
  }

  void add_runs() {
    const Table& runs = tables_.at("history");
    std::vector<std::string_view> columns = {"run",         "recorded",   "input",     "step_ns", "step_p25_ns",
                                             "step_p75_ns", "metric",     "value",     "unit",    "change_pct",
                                             "level",       "peak_bytes", "iterations"};
    for (const char* column : {"series", "devices"}) {
      if (varies(runs, column)) columns.emplace_back(column);
    }
    report_.sections.push_back(newest_first("Runs", "The newest first.", "history", columns));
  }

  /// A section of a table of runs, whose page begins with the last run; rows of one run keep their order.
  Section newest_first(std::string title, std::string summary, const std::string& table,
                       const std::vector<std::string_view>& columns) const {
    Section section = section_of(std::move(title), std::move(summary), tables_.at(table), columns, 0);
    const Table ordered = section.page;
    const size_t run = ordered.column("run");
    section.page.sort([&](uint32_t a, uint32_t b) {
      return std::get<int64_t>(ordered.cell(a, run)) > std::get<int64_t>(ordered.cell(b, run));
    });
    return section;
  }

  const std::vector<std::string>& remarks_;
  std::map<std::string, Table> tables_;  // by name
  Report report_;
};

}  // namespace

Report make_history_report(std::vector<Table> tables, const std::vector<std::string>& remarks,
                           const std::string& folder) {
  return HistoryReport(std::move(tables), remarks, folder).make();
}

std::string relative_address(const std::string& path, const std::string& folder) {
  const auto normal = [](const fs::path& name) { return fs::absolute(name).lexically_normal(); };
  const fs::path relative = normal(path).lexically_relative(normal(folder.empty() ? "." : folder));
  std::string address;
  for (const char c : relative.string()) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_plain = is_letter || is_digit(c) || std::string_view("-._~/").find(c) != std::string_view::npos;
    address += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

}  // namespace cgpu
