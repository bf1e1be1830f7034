#include "comparison/words/call_tree_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/common/folded_names.h"
#include "analysis/common/sample_counts.h"
#include "comparison/alignment/alignment.h"
#include "comparison/tables/comparison_table.h"
#include "comparison/words/quantity_words.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// How sure a change is, by the numbers of samples: " (between -8.0 % and +57.2 % at 95 %, by the number of samples)".
std::string sampling_words(double a, double b) {
  const std::optional<RatioBounds> bounds = ratio_of_counts(a, b);
  if (!bounds || !bounds->high) return "";
  const std::string is_same = may_be_same(a, b) ? ", which is no more than numbers of samples vary by themselves"
                                                : ", by the number of samples";
  return fmt::format(" (between {:+.1f} % and {:+.1f} % at 95 %{})", 100 * (bounds->low - 1), 100 * (*bounds->high - 1),
                     is_same);
}

/// Why instructions waited, where that is measured: the reasons whose shares changed most, of the whole.
std::string wait_words(const Table& tree) {
  constexpr double kLeastChange = 5;  // percentage points
  constexpr size_t kMost = 3;
  constexpr std::string_view kShare = ".share_a_pct";
  struct Reason {
    std::string metric;
    std::string about;
    double a = 0;
    double b = 0;
  };
  std::vector<Reason> reasons;
  for (size_t column = 0; column < tree.columns.size(); ++column) {
    const std::string& name = tree.columns[column].name;
    if (!name.ends_with(kShare)) continue;
    const RowView root = tree.row(0);
    if (is_absent(root[column]) || is_absent(root[column + 1])) continue;
    const double a = std::get<double>(root[column]);
    const double b = std::get<double>(root[column + 1]);
    if (std::abs(b - a) < kLeastChange) continue;
    const std::string metric = name.substr(0, name.size() - kShare.size());
    const std::string& about = tree.columns[tree.column(metric + ".a")].about;
    reasons.push_back({metric, about.substr(0, about.rfind(';')), a, b});
  }
  std::ranges::stable_sort(reasons,
                           [](const Reason& x, const Reason& y) { return std::abs(x.b - x.a) > std::abs(y.b - y.a); });
  if (reasons.empty()) return {};
  std::string words = "Why instructions on the device waited, of all that they did:\n";
  for (size_t i = 0; i < std::min(kMost, reasons.size()); ++i) {
    const Reason& reason = reasons[i];
    words += fmt::format("  {:>10.1f} % -> {:>10.1f} %  {}: {}\n", reason.a, reason.b, reason.metric, reason.about);
  }
  return words;
}

/// "gamma_step(long) (nest.cpp)": the function that a row is or is in; the row's own name outside of all functions.
/// Without addresses, so that all that a profiler did not find the names of is one function, and without the binary,
/// which one profile may name and another not.
std::string function_text(const Table& tree, const RowView& row) {
  const auto cell_of = [&](const char* column) { return row[tree.column(column)]; };
  const auto name_in = [&](const char* column) {
    return std::string(without_binary(name_in_all_builds(std::get<std::string>(cell_of(column)))));
  };
  if (is_absent(cell_of("function"))) return name_in("name");
  const std::string function = name_in("function");
  if (is_absent(cell_of("file"))) return function;
  const std::string file = std::get<std::string>(cell_of("file"));
  return function + " (" + file.substr(file.rfind('/') + 1) + ")";
}

/// The call path that nearly all of the change is in, from the outside in: of rows in pre-order, of siblings what
/// changed most first.
std::string path_words(const Table& tree) {
  constexpr double kNearlyAll = 0.8;
  constexpr double kAll = 1.1;  // more than the whole change is what another part has back
  constexpr size_t kMostFunctions = 6;
  const auto delta = [&](const RowView& row) { return std::get<double>(row[tree.column("delta")]); };
  const auto depth = [&](const RowView& row) { return std::get<int64_t>(row[tree.column("depth")]); };
  const double whole = delta(tree.row(0));
  if (whole == 0) return {};
  std::vector<std::string> path;
  size_t last = 0;
  for (size_t row = 1; row < tree.row_count() && depth(tree.row(row)) == depth(tree.row(row - 1)) + 1; ++row) {
    const double share = delta(tree.row(row)) / whole;
    if (share < kNearlyAll || share > kAll) break;
    if (std::get<std::string>(tree.row(row)[tree.column("kind")]) != "function") continue;
    path.push_back(std::get<std::string>(tree.row(row)[tree.column("name")]));
    last = row;
    if (std::get<std::string>(tree.row(row)[tree.column("status")]) != "both") break;
  }
  if (path.empty()) return {};
  const std::string status = std::get<std::string>(tree.row(last)[tree.column("status")]);
  if (path.size() > kMostFunctions) {
    path.erase(path.begin() + 1, path.end() - static_cast<ptrdiff_t>(kMostFunctions) + 2);
    path.insert(path.begin() + 1, "...");
  }
  std::string words = fmt::format("{:.0f} % of the change is in {}", 100 * delta(tree.row(last)) / whole,
                                  printable(fmt::format("{}", fmt::join(path, " > "))));
  if (status != "both") words += status == "only_a" ? ", a call that only A has" : ", a call that only B has";
  return words + ".\n";
}

}  // namespace

MarkedText call_tree_words(const Comparison& comparison) {
  constexpr double kSame = 0.0005;  // which is shown as 0.0 %
  constexpr size_t kMostFrames = 10;
  constexpr size_t kWidestName = 80;
  const Table tree = make_table(find_comparison_table("compare_call_tree"), comparison);
  if (tree.empty()) return {};
  const auto text = [&](const RowView& row, const char* column) {
    return std::get<std::string>(row[tree.column(column)]);
  };
  const auto number = [&](const RowView& row, const char* column) {
    return std::get<double>(row[tree.column(column)]);
  };
  const RowView root = tree.row(0);
  const std::string metric = text(root, "metric");
  const std::string unit = text(root, "unit");
  const bool has_samples = !is_absent(root[tree.column("samples_a")]);
  /// What is spent in a function, its lines and loops, and not in what it calls.
  struct Own {
    PerSide<double> value;
    PerSide<double> samples;
  };
  PerSide<double> whole;
  std::map<std::string, Own> own;  // by function and file
  for (const RowView row : tree.rows()) {
    Own& frame = own[function_text(tree, row)];
    frame.value.a += number(row, "exclusive_a");
    frame.value.b += number(row, "exclusive_b");
    if (has_samples) {
      frame.samples.a += number(row, "exclusive_samples_a");
      frame.samples.b += number(row, "exclusive_samples_b");
    }
    whole.a += number(row, "exclusive_a");
    whole.b += number(row, "exclusive_b");
  }
  const bool is_same = std::abs(whole.b - whole.a) < kSame * std::abs(whole.a);
  MarkedText words =
      is_same ? fmt::format("{}: {} in both", metric, format_value(whole.a, unit))
              : fmt::format("{}: {} -> {}", metric, format_value(whole.a, unit), format_value(whole.b, unit));
  if (whole.a != 0 && !is_same) {
    words += ", " + (ns_in_unit(unit) ? cost_ratio(whole.a, whole.b) : MarkedText(ratio_words(whole.a, whole.b)));
  }
  if (has_samples && !is_same) words += sampling_words(number(root, "samples_a"), number(root, "samples_b"));
  words += ".\n";
  const bool is_sure = !has_samples || !may_be_same(number(root, "samples_a"), number(root, "samples_b"));
  if (is_sure) words += path_words(tree);
  std::vector<std::pair<std::string, Own>> frames(own.begin(), own.end());
  const auto change_of = [](const Own& frame) { return std::abs(frame.value.b - frame.value.a); };
  std::ranges::stable_sort(frames,
                           [&](const auto& x, const auto& y) { return change_of(x.second) > change_of(y.second); });
  const double least = 0.005 * std::abs(whole.a);
  // Of all functions together (Bonferroni), so that among many none is called changed by chance.
  const double sure = 1 - 0.05 / static_cast<double>(std::max<size_t>(1, frames.size()));
  size_t named = 0;
  size_t unsure = 0;
  for (const auto& [name, frame] : frames) {
    const PerSide<double>& value = frame.value;
    if (value.b == value.a || change_of(frame) < least) break;
    if (has_samples && may_be_same(frame.samples.a, frame.samples.b, sure)) {
      ++unsure;
      continue;
    }
    if (named == kMostFrames) continue;
    if (named == 0) words += "Where it changed, by what functions spend themselves:\n";
    ++named;
    words += fmt::format("  {:>12} -> {:>12}  {}\n", format_value(value.a, unit), format_value(value.b, unit),
                         shorten(printable(name), kWidestName));
  }
  if (unsure > 0) {
    words += fmt::format(
        "{}{} function{} changed by no more than numbers of samples vary by themselves (95 %, all functions "
        "together).\n",
        unsure, named > 0 ? " further" : "", unsure == 1 ? "" : "s");
  }
  return words + wait_words(tree);
}

std::string unlike_metrics_words(const Comparison& comparison) {
  constexpr size_t kMost = 3;
  PerSide<std::vector<std::string>> metrics;
  for (const Side side : kSides) {
    bool has_tree = false;
    for (const Run& run : comparison.original(side).session().runs) {
      if (!run.call_tree || has_tree) continue;
      has_tree = true;
      for (MetricIndex i = 0; i < run.call_tree->metrics.size() && metrics[side].size() < kMost; ++i) {
        const Metric& metric = run.call_tree->metrics[i];
        if (!run.call_tree->has_values(i)) continue;
        metrics[side].push_back(metric.unit.empty() ? metric.name : fmt::format("{} ({})", metric.name, metric.unit));
      }
    }
    if (!has_tree) return "";
    if (metrics[side].empty()) metrics[side].emplace_back("none with values");
  }
  return fmt::format("The call trees have no metric in common that can be compared: A has {}, B {}.\n",
                     fmt::join(metrics.a, ", "), fmt::join(metrics.b, ", "));
}

}  // namespace cgpu
