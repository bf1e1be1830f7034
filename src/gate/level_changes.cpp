#include "gate/level_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "analysis/common/order_statistics.h"
#include "gate/check/estimate_words.h"
#include "gate/figures/samples.h"
#include "gate/runs/many_figures.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

const Table& table_of(const CheckResult& check, std::string_view name) {
  return *std::find_if(check.tables.begin(), check.tables.end(),
                       [&](const Table& table) { return table.name == name; });
}

double number_of(const Table& table, RowView row, const char* column) {
  const Cell value = row[table.column(column)];
  return is_absent(value) ? 0 : std::get<double>(value);
}
std::string text_of(const Table& table, RowView row, const char* column) {
  const Cell value = row[table.column(column)];
  return is_absent(value) ? "" : std::get<std::string>(value);
}

/// "slower" or "faster" where the whole interval is beyond the least change; else "".
std::string direction_of(const Table& table, RowView row) {
  if (is_absent(row[table.column("low_pct")]) || is_absent(row[table.column("high_pct")])) return "";
  if (number_of(table, row, "low_pct") > 100 * kLeastChange) return "slower";
  return number_of(table, row, "high_pct") < -100 * kLeastChange ? "faster" : "";
}

/// The verdict of the gate on a part, in the words of a history; "" where it did not surely move.
std::string verdict_of(const Table& table, RowView row) {
  const std::string verdict = text_of(table, row, "verdict");
  if (verdict == "regression") return "slower";
  return verdict == "improvement" ? direction_of(table, row) : "";
}

class MovedParts {
 public:
  MovedParts(const std::vector<CheckedRun>& before, const std::vector<CheckedRun>& after)
      : before_runs_(before.size()) {
    for (const auto* side : {&before, &after}) {
      for (const CheckedRun& run : *side) runs_.push_back({{run.input, run.figures}});
    }
    std::vector<double> times;
    for (const GivenRun& run : runs_) times.push_back(time_of(run.figures));
    least_ = kLeastChange * median_of(std::move(times));
  }

  std::vector<MovedPart> of(const CheckResult& check) {
    add_times(table_of(check, "check_times"));
    const Table& parts = table_of(check, "check_parts");
    for (const RowView row : parts.rows()) {
      add({text_of(parts, row, "kind"), text_of(parts, row, "name"), "ns", number_of(parts, row, "baseline_ns"),
           number_of(parts, row, "candidate_ns"), verdict_of(parts, row)});
    }
    const Table& calls = table_of(check, "check_calls");
    for (const RowView row : calls.rows()) {
      if (text_of(calls, row, "kind") != "function") continue;
      add({"function", text_of(calls, row, "name"), text_of(calls, row, "unit"), number_of(calls, row, "baseline"),
           number_of(calls, row, "candidate"), verdict_of(calls, row)});
    }
    add_new_and_gone();
    std::ranges::stable_sort(
        moved_, [](const MovedPart& a, const MovedPart& b) { return std::abs(a.change()) > std::abs(b.change()); });
    return std::move(moved_);
  }

 private:
  void add(MovedPart part) {
    if (!part.verdict.empty()) moved_.push_back(std::move(part));
  }

  /// What the time of an iteration consists of: busy, exposed communication, idle.
  void add_times(const Table& times) {
    for (const RowView row : times.rows()) {
      const MovedPart part = {"time",
                              text_of(times, row, "quantity"),
                              "ns",
                              number_of(times, row, "baseline_ns"),
                              number_of(times, row, "candidate_ns"),
                              direction_of(times, row)};
      const bool explains = is_absent(row[times.column("verdict")]);
      if (explains && std::abs(part.change()) >= least_) add(part);
    }
  }

  static std::ptrdiff_t missing_in(const ManyFigure& figure, size_t begin, size_t end) {
    return std::count(figure.missing.begin() + static_cast<std::ptrdiff_t>(begin),
                      figure.missing.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
  /// In more than three quarters of these runs: a change point may be some runs off.
  static bool is_missing(const ManyFigure& figure, size_t begin, size_t end) {
    return 4 * missing_in(figure, begin, end) > 3 * static_cast<std::ptrdiff_t>(end - begin);
  }
  static bool is_present(const ManyFigure& figure, size_t begin, size_t end) {
    return 4 * missing_in(figure, begin, end) < static_cast<std::ptrdiff_t>(end - begin);
  }

  /// What the runs of one level have, and those of the other one have not.
  void add_new_and_gone() {
    for (const ManyFigure& figure : figures_of_timelines(runs_)) {
      const bool is_part = figure.kind == "op" || figure.kind == "kernel_class" || figure.kind == "kernel" ||
                           figure.kind == "module";  // the name of a layer says how many there are
      if (!is_part) continue;
      const bool is_new = is_missing(figure, 0, before_runs_) && is_present(figure, before_runs_, runs_.size());
      const bool is_gone = is_present(figure, 0, before_runs_) && is_missing(figure, before_runs_, runs_.size());
      if (!is_new && !is_gone) continue;
      std::vector<double> values;
      for (size_t run = is_new ? before_runs_ : 0; run < (is_new ? runs_.size() : before_runs_); ++run) {
        if (!figure.missing[run]) values.push_back(figure.values[run].value_or(0));
      }
      const double value = median_of(std::move(values));
      if (value < least_) continue;
      add({figure.kind == "kernel_class" ? "class" : figure.kind, figure.name, figure.unit, is_new ? 0 : value,
           is_new ? value : 0, is_new ? "new" : "gone"});
    }
  }

  std::vector<GivenRun> runs_;
  size_t before_runs_;
  double least_ = 0;  // ns of an iteration: what is smaller does not matter
  std::vector<MovedPart> moved_;
};

}  // namespace

LevelChange level_change(const std::vector<CheckedRun>& before, const std::vector<CheckedRun>& after) {
  CheckOptions options;
  options.tolerance = kLeastChange;
  options.floor_ns = 0;
  options.allowed = {std::begin(kDifferences), std::end(kDifferences)};  // runs of one series
  options.explain = false;
  const CheckResult check = check_runs(before, after, options);
  return {check.outcome, check.headline, MovedParts(before, after).of(check)};
}

std::string words_of(const std::vector<MovedPart>& parts, bool rises) {
  std::vector<std::string> words;
  for (const char* kind : {"time", "kernel", "op", "module", "function"}) {
    const auto most = std::find_if(parts.begin(), parts.end(), [&](const MovedPart& part) {
      return part.kind == kind && (part.change() > 0) == rises;
    });
    if (most == parts.end()) continue;
    const auto named = [](const MovedPart& part) {
      constexpr size_t kMostOfName = 60;
      return shorten(part.name, kMostOfName);
    };
    const bool is_compared = most->before > 0 && most->after > 0;
    std::string how = is_compared ? signed_percent(most->after / most->before - 1) : most->verdict;
    const auto replaced = std::find_if(parts.begin(), parts.end(), [&](const MovedPart& part) {
      return part.kind == kind && part.verdict == (most->verdict == "new" ? "gone" : "new");
    });
    if (!is_compared && replaced != parts.end()) {
      how += fmt::format("; {}, {}, is {}", named(*replaced),
                         format_value(std::max(replaced->before, replaced->after), replaced->unit), replaced->verdict);
    }
    words.push_back(fmt::format("{}{} {}{} ({})", most->kind == "time" ? "" : most->kind + " ", named(*most),
                                rises ? "+" : "-", format_value(std::abs(most->change()), most->unit), how));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace cgpu
