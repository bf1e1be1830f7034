// Table `compare_findings`: the findings of two runs by rule: which came, which went, and how much each could give
// back.
#include "comparison/compare_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "analysis/findings/rank_findings.h"
#include "base/error.h"
#include "base/threads.h"
#include "comparison/compared_columns.h"
#include "comparison/comparison_table.h"

namespace cgpu {

namespace {

/// Those of one rule on one side.
struct OfRule {
  std::string title;          // of the first one
  std::optional<double> pct;  // the sum over all: they do not overlap
};

void append_compared(const PerSide<const Table*>& sides, Table& table) {
  std::map<std::string, PerSide<std::optional<OfRule>>> rules;
  for (const Side side : kSides) {
    const Table& findings = *sides[side];
    const auto text = [&](const RowView& row, const char* column) {
      return std::get<std::string>(row[findings.column(column)]);
    };
    for (const RowView row : findings.rows()) {
      std::optional<OfRule>& rule = rules[text(row, "rule")][side];
      if (!rule) rule = OfRule{text(row, "title"), std::nullopt};
      const Cell pct = row[findings.column("recoverable_pct")];
      if (const auto* found = std::get_if<double>(&pct)) rule->pct = rule->pct.value_or(0) + *found;
    }
  }
  // A share that changes by less than two points says nothing (docs/diagnosis.md: how well replay predicts).
  constexpr double kNoticed = 2;
  for (const auto& [name, rule] : rules) {
    const auto pct = [&rule = rule](Side side) { return rule[side] ? rule[side]->pct.value_or(0) : 0; };
    const double delta = pct(Side::b) - pct(Side::a);
    const char* change = !rule.a             ? "new"
                         : !rule.b           ? "gone"
                         : delta > kNoticed  ? "grown"
                         : delta < -kNoticed ? "shrunk"
                                             : "same";
    const auto title = [&rule = rule](Side side) { return rule[side] ? Cell(rule[side]->title) : Cell(); };
    const auto share = [&rule = rule](Side side) { return rule[side] ? cell(rule[side]->pct) : Cell(); };
    table.append({name, cell(change), share(Side::a), share(Side::b), delta, title(Side::a), title(Side::b)});
  }
  sort_most_changed(table, "delta_pct");
}

void append_findings(const Comparison& comparison, const TableOptions&, Table& table) {
  // Each side replays its whole graph, on a thread of its own.
  auto of_b = in_background([&] { comparison.findings(Side::b); });
  comparison.findings(Side::a);
  of_b.get();
  append_compared({&comparison.findings(Side::a), &comparison.findings(Side::b)}, table);
}

}  // namespace

Table compare_findings(const Table& a, const Table& b) {
  if (is_of_ranks_alone(a) != is_of_ranks_alone(b)) {
    throw Error(
        fmt::format("findings: {} is several summaries, for which only rules over ranks are judged, and the other "
                    "is not: give summaries of several ranks, or profiles, for both",
                    is_of_ranks_alone(a) ? "the baseline" : "the input"));
  }
  const ComparisonTable declared = compare_findings_table();
  Table table(declared.name, declared.about, declared.columns);
  append_compared({&a, &b}, table);
  return table;
}

ComparisonTable compare_findings_table() {
  return {.name = "compare_findings",
          .about = "findings of both runs by rule, with the share of the steps' time that each could save",
          .columns = {key_column("rule", "as in findings"), key_column("change", "new, gone, grown, shrunk or same"),
                      real_column("recoverable_a_pct", "%", "of the time of the steps of A"),
                      real_column("recoverable_b_pct", "%", "of the time of the steps of B"),
                      main_column(real_column("delta_pct", "%", "b - a, in points")), text_column("title_a", "in A"),
                      text_column("title_b", "in B")},
          .append_rows = append_findings};
}

}  // namespace cgpu
