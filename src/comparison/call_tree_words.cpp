#include "comparison/call_tree_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "comparison/alignment.h"
#include "comparison/comparison_table.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

std::string call_tree_words(const Comparison& comparison) {
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
  OfSides<double> whole;
  std::map<std::string, OfSides<double>> own;  // by name: what is spent there and not below
  for (const RowView row : tree.rows()) {
    OfSides<double>& frame = own[text(row, "name")];
    frame.a += number(row, "exclusive_a");
    frame.b += number(row, "exclusive_b");
    whole.a += number(row, "exclusive_a");
    whole.b += number(row, "exclusive_b");
  }
  const double change = whole.b - whole.a;
  std::string words =
      fmt::format("{} is {} in B and {} in A", metric, format_value(whole.b, unit), format_value(whole.a, unit));
  if (whole.a != 0) words += fmt::format(": {:+.1f} %", 100 * change / whole.a);
  words += ".\n";
  std::vector<std::pair<std::string, OfSides<double>>> frames(own.begin(), own.end());
  std::stable_sort(frames.begin(), frames.end(), [](const auto& x, const auto& y) {
    return std::abs(x.second.b - x.second.a) > std::abs(y.second.b - y.second.a);
  });
  const double least = 0.005 * std::abs(whole.a);
  bool any = false;
  for (size_t i = 0; i < frames.size() && i < kMostFrames; ++i) {
    const auto& [name, value] = frames[i];
    if (value.b == value.a || std::abs(value.b - value.a) < least) break;
    if (!any) words += "Where it changed, by what frames spend themselves:\n";
    any = true;
    words += fmt::format("  {:>12} -> {:>12}  {}\n", format_value(value.a, unit), format_value(value.b, unit),
                         shorten(printable(name), kWidestName));
  }
  return words;
}

}  // namespace cgpu
