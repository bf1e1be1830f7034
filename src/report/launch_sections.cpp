// Sections about kernel launches that were measured one by one.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/cells.h"
#include "report/phrases.h"
#include "report/sections.h"
#include "table/filter.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// "memory (2 launches), latency (1 launch)", with the most frequent first.
std::string bounds_text(const Table& table) {
  std::map<std::string, int64_t> counts;
  for (const RowView row : table.rows()) {
    if (has_value(table, row, "bound")) ++counts[text_of(table, row, "bound")];
  }
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [bound, count] : counts) sorted.emplace_back(-count, bound);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> texts;
  for (const auto& [count, bound] : sorted) {
    texts.push_back(fmt::format("{} ({})", bound, counted(-count, "launch", "launches")));
  }
  return listed(texts);
}

void make_kernels_brief(Table& page) {
  page.map_text(page.column("kernel"), [](std::string_view name) { return brief_kernel_name(std::string(name)); });
}

}  // namespace

Section describe_launch_metrics(Table table, const Scope& scope) {
  RowView longest = largest_of(table, "duration_ns");
  std::string summary =
      fmt::format("{} measured one by one, {} in all",
                  table.row_count() == 1 ? "One launch was"
                                         : format_count(static_cast<int64_t>(table.row_count())) + " launches were",
                  format_ns(sum_of(table, "duration_ns")));
  if (table.row_count() > 1 && has_value(table, longest, "duration_ns")) {
    summary += fmt::format(", the longest {} ({})", format_ns(integer_of(table, longest, "duration_ns")),
                           quoted_name(brief_kernel_name(text_of(table, longest, "kernel"))));
  }
  summary += ". Each was replayed alone, so these are not the times that the program took.";
  if (const std::string bounds = bounds_text(table); !bounds.empty()) summary += " What limits them: " + bounds + ".";

  Table sorted = table;
  sort_rows(sorted, "duration_ns");
  std::vector<std::string_view> columns;
  if (scope.several_ranks) columns.emplace_back("rank");
  columns.insert(columns.end(), {"id", "kernel", "grid", "block", "duration_ns", "bound", "compute_pct", "memory_pct",
                                 "achieved_occupancy_pct", "registers", "dram_pct", "l1_pct", "l2_pct",
                                 "theoretical_occupancy_pct", "flops_per_s", "intensity"});
  Section section = section_of("Measured launches", summary, std::move(sorted), columns);
  section.table = std::move(table);
  make_kernels_brief(section.page);
  return section;
}

namespace {

/// What the rules that promise most say, each rule once.
std::string in_their_words(const Table& rules) {
  constexpr size_t kMostQuoted = 3;
  std::set<std::string> quoted;
  std::string text;
  for (const RowView row : rules.rows()) {
    const std::string rule = text_of(rules, row, "rule");
    if (quoted.size() == kMostQuoted || !has_value(rules, row, "message") || !quoted.insert(rule).second) continue;
    text += fmt::format(" {} of {}: \"{}\"", rule, quoted_name(brief_kernel_name(text_of(rules, row, "kernel"))),
                        text_of(rules, row, "message"));
  }
  return text;
}

}  // namespace

Section describe_launch_rules(Table table, const Scope& scope) {
  Table sorted = table;
  sorted.keep_rows([&](RowView row) { return has_value(table, row, "speedup_pct"); });
  sort_rows(sorted, "speedup_pct");
  const auto is_of_kernel = [&](uint32_t row) { return text_of(sorted, sorted.row(row), "scope") == "kernel"; };
  sorted.sort([&](uint32_t a, uint32_t b) { return is_of_kernel(a) && !is_of_kernel(b); });
  std::string summary =
      fmt::format("The kernel profiler's rules say {}", counted(static_cast<int64_t>(table.row_count()), "thing"));
  summary +=
      sorted.empty()
          ? "; none comes with an estimate of what it would bring."
          : fmt::format(
                ", {} with an estimate of what could be gained, as a share of the kernel's time or of the time of the "
                "part that the rule looks at.",
                sorted.row_count());
  summary += in_their_words(sorted);
  std::vector<std::string_view> columns;
  if (scope.several_ranks) columns.emplace_back("rank");
  columns.insert(columns.end(), {"id", "kernel", "rule", "speedup_pct", "scope", "message"});
  Section section = section_of("What the kernel profiler advises", summary, std::move(sorted), columns, 8);
  section.table = std::move(table);
  if (!section.page.empty()) make_kernels_brief(section.page);
  return section;
}

}  // namespace cgpu
