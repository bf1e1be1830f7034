// Table `compare_findings`: the findings of two runs by rule: which came, which went, and how much each could give
// back.
#include "comparison/tables/compare_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "analysis/findings/rank_findings.h"
#include "analysis/findings/thresholds.h"
#include "base/error.h"
#include "base/threads.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"

namespace cgpu {

namespace {

/// Those of one rule on one side.
struct OfRule {
  std::string title;          // of the first one
  std::optional<double> pct;  // the sum over all: they do not overlap
};

/// The time that the shares of a side are of, in ns: of an iteration, or of the whole. None where those of the sides
/// are not of the same.
using ComparedTimes = std::optional<PerSide<double>>;

std::map<std::string, PerSide<std::optional<OfRule>>> findings_by_rule(const PerSide<const Table*>& sides) {
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
  return rules;
}

void append_compared(const PerSide<const Table*>& sides, const ComparedTimes& times, Table& table) {
  // What changes by less than two hundredths says nothing (docs/diagnosis.md: how well replay predicts).
  constexpr double kNoticed = 2;
  for (const auto& [name, found] : findings_by_rule(sides)) {
    const PerSide<std::optional<OfRule>>& rule = found;
    const auto pct = [&](Side side) { return rule[side] ? rule[side]->pct.value_or(0) : 0; };
    const auto ns = [&](Side side) { return pct(side) / 100 * (*times)[side]; };
    const double delta = times ? 100 * (ns(Side::b) - ns(Side::a)) / times->a : pct(Side::b) - pct(Side::a);
    // A finding of one side may be on the other, too, below what a finding needs.
    const auto may_have_as_much = [&](Side side) {
      return times && !rule[side] && rule[other(side)]->pct &&
             ns(other(side)) <= Thresholds{}.noticeable * (*times)[side];
    };
    const char* change = may_have_as_much(Side::a) || may_have_as_much(Side::b) ? "unsure"
                         : !rule.a                                              ? "new"
                         : !rule.b                                              ? "gone"
                         : delta > kNoticed                                     ? "grown"
                         : delta < -kNoticed                                    ? "shrunk"
                                                                                : "same";
    const auto title = [&](Side side) { return rule[side] ? Cell(rule[side]->title) : Cell(); };
    const auto share = [&](Side side) { return rule[side] ? cell(rule[side]->pct) : Cell(); };
    const auto time = [&](Side side) {
      return times && rule[side] && rule[side]->pct ? Cell(static_cast<int64_t>(std::llround(ns(side)))) : Cell();
    };
    table.append({name, cell(change), share(Side::a), share(Side::b), time(Side::a), time(Side::b), delta,
                  title(Side::a), title(Side::b)});
  }
  sort_most_changed(table, "delta_pct");
}

/// What the shares in a table `findings` are of: one of its steps, where it has some.
struct JudgedTime {
  double ns = 0;
  bool of_step = false;
};

std::optional<JudgedTime> judged_time(const Table& findings) {
  for (const RowView row : findings.rows()) {
    const Cell measured = row[findings.column("measured_ns")];
    const auto* ns = std::get_if<int64_t>(&measured);
    if (ns == nullptr || *ns <= 0) continue;
    const Cell steps = row[findings.column("steps")];
    const auto* count = std::get_if<int64_t>(&steps);
    const bool of_step = count != nullptr && *count > 0;
    return JudgedTime{static_cast<double>(*ns) / static_cast<double>(of_step ? *count : 1), of_step};
  }
  return std::nullopt;
}

ComparedTimes judged_times(const PerSide<const Table*>& sides) {
  const PerSide<std::optional<JudgedTime>> judged{judged_time(*sides.a), judged_time(*sides.b)};
  if (!judged.a || !judged.b || judged.a->of_step != judged.b->of_step) return std::nullopt;
  return PerSide<double>{judged.a->ns, judged.b->ns};
}

ComparedTimes times_of(const Comparison& comparison) {
  PerSide<double> times;
  for (const Side side : kSides) times[side] = per_device_iteration(comparison, side, comparison.totals(side).time);
  return times.a > 0 && times.b > 0 ? ComparedTimes(times) : std::nullopt;
}

void append_findings(const Comparison& comparison, const TableOptions&, Table& table) {
  // Each side replays its whole graph, on a thread of its own.
  auto of_b = in_background([&] { comparison.findings(Side::b); });
  comparison.findings(Side::a);
  of_b.get();
  append_compared({&comparison.findings(Side::a), &comparison.findings(Side::b)}, times_of(comparison), table);
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
  append_compared({&a, &b}, judged_times({&a, &b}), table);
  return table;
}

ComparisonTable compare_findings_table() {
  return {.name = "compare_findings",
          .about = "findings of both runs by rule, with the share of the steps' time that each could save",
          .columns = {key_column("rule", "as in findings"),
                      key_column("change",
                                 "new, gone, grown, shrunk or same; unsure: the other side may have as much, which is "
                                 "less than a finding needs there"),
                      real_column("recoverable_a_pct", "%", "of the time of the steps of A"),
                      real_column("recoverable_b_pct", "%", "of the time of the steps of B"),
                      time_column("recoverable_a_ns",
                                  "that share of an iteration of A, or of the whole where there are none"),
                      time_column("recoverable_b_ns", "likewise of B; both absent where only one side has iterations"),
                      main_column(real_column(
                          "delta_pct", "%", "b - a as a share of the time of A; in points where the times are absent")),
                      text_column("title_a", "in A"), text_column("title_b", "in B")},
          .append_rows = append_findings};
}

}  // namespace cgpu
