#include "comparison/words/measured_launch_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "comparison/tables/comparison_table.h"
#include "comparison/words/quantity_words.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The launches of one kernel that are on both sides, or on one.
struct KernelLaunches {
  std::string kernel;
  std::string status;
  int64_t launches = 0;
  PerSide<int64_t> time;  // ns
  PerSide<std::map<std::string, int64_t>> time_by_bound;
  PerSide<double> occupancy_time;  // % x ns
  PerSide<int64_t> known_time;     // ns of launches with an occupancy

  int64_t delta() const { return time.b - time.a; }
  /// What limits them for most of their time; "" where that is not known.
  std::string bound(Side side) const {
    const auto more = [](const auto& x, const auto& y) { return x.second < y.second; };
    const auto most = std::max_element(time_by_bound[side].begin(), time_by_bound[side].end(), more);
    return most == time_by_bound[side].end() ? "" : most->first;
  }
  std::optional<double> occupancy(Side side) const {
    if (known_time[side] == 0) return std::nullopt;
    return occupancy_time[side] / static_cast<double>(known_time[side]);
  }
};

/// By kernel, those that changed most first.
std::vector<KernelLaunches> launches_by_kernel(const Table& table) {
  std::map<std::pair<std::string, std::string>, KernelLaunches> kernels;
  for (const RowView row : table.rows()) {
    const std::string kernel = std::get<std::string>(row[table.column("kernel")]);
    const std::string status = std::get<std::string>(row[table.column("status")]);
    KernelLaunches& sum = kernels[{kernel, status}];
    sum.kernel = kernel;
    sum.status = status;
    ++sum.launches;
    for (const Side side : kSides) {
      const std::string suffix = side == Side::a ? "_a" : "_b";
      const Cell duration = row[table.column("duration" + suffix + "_ns")];
      if (!std::holds_alternative<int64_t>(duration)) continue;
      const auto ns = std::get<int64_t>(duration);
      sum.time[side] += ns;
      const Cell bound = row[table.column("bound" + suffix)];
      if (const auto* text = std::get_if<std::string>(&bound)) sum.time_by_bound[side][*text] += ns;
      const Cell occupancy = row[table.column("achieved_occupancy" + suffix + "_pct")];
      if (const auto* pct = std::get_if<double>(&occupancy)) {
        sum.occupancy_time[side] += *pct * static_cast<double>(ns);
        sum.known_time[side] += ns;
      }
    }
  }
  std::vector<KernelLaunches> sorted;
  sorted.reserve(kernels.size());
  for (auto& [key, sum] : kernels) sorted.push_back(std::move(sum));
  std::ranges::stable_sort(sorted,
                           [](const auto& x, const auto& y) { return std::abs(x.delta()) > std::abs(y.delta()); });
  return sorted;
}

std::string launches_text(int64_t count) {
  return fmt::format("{} launch{}", count, count == 1 ? "" : "es");
}

/// "gemm, 3 launches, 10.0 us -> 20.0 us each (2.00 times), bound by compute -> memory, occupancy 60 % -> 45 %"
std::string kernel_words(const KernelLaunches& one) {
  constexpr size_t kWidestName = 80;
  const std::string name = shorten(printable(one.kernel), kWidestName);
  if (one.status != "both") {
    return fmt::format("{} is {}, {}", name, one.status == "only_a" ? "gone" : "new", launches_text(one.launches));
  }
  std::string words = fmt::format("{}, {}", name, launches_text(one.launches));
  const auto each = [&](Side side) { return static_cast<double>(one.time[side]) / static_cast<double>(one.launches); };
  if (one.time.a > 0) {
    words += fmt::format(", {} -> {} each ({})", format_ns(each(Side::a)), format_ns(each(Side::b)),
                         ratio_words(each(Side::a), each(Side::b)));
  }
  const PerSide<std::string> bound{one.bound(Side::a), one.bound(Side::b)};
  if (!bound.b.empty()) {
    const bool changed = !bound.a.empty() && bound.a != bound.b;
    words += fmt::format(", bound by {}{}", changed ? bound.a + " -> " : "", bound.b);
  }
  const PerSide<std::optional<double>> occupancy{one.occupancy(Side::a), one.occupancy(Side::b)};
  if (occupancy.a && occupancy.b) {
    const bool changed = std::round(*occupancy.a) != std::round(*occupancy.b);
    words +=
        fmt::format(", occupancy {}{:.0f} %", changed ? fmt::format("{:.0f} % -> ", *occupancy.a) : "", *occupancy.b);
  }
  return words;
}

}  // namespace

MarkedText measured_launch_words(const Comparison& comparison) {
  constexpr size_t kMostKernels = 10;
  const Table table = make_table(find_comparison_table("compare_launches"), comparison);
  const std::vector<KernelLaunches> kernels = launches_by_kernel(table);
  PerSide<int64_t> launches;
  PerSide<int64_t> time;
  int64_t of_both = 0;
  for (const KernelLaunches& one : kernels) {
    if (one.status == "both") of_both += one.launches;
    if (one.status != "only_b") launches.a += one.launches;
    if (one.status != "only_a") launches.b += one.launches;
    for (const Side side : kSides) time[side] += one.time[side];
  }
  if (launches.a == 0 || launches.b == 0) return {};
  const int64_t change = time.b - time.a;
  MarkedText text = fmt::format("Of {} measured in A and {} in B, {} {} the same kernel in the same order.\n",
                                launches_text(launches.a), launches.b, of_both, of_both == 1 ? "is" : "are");
  if (time.a == 0 || time.b == 0) return text;
  text += "Each by itself, they take ";
  text += change == 0 ? MarkedText(format_ns(time.a) + " in both.\n")
                      : change_of_time(static_cast<double>(time.a), static_cast<double>(time.b)) + ".\n";
  int64_t left = change;
  size_t told = 0;
  for (const KernelLaunches& one : kernels) {
    if (one.delta() == 0 || told == kMostKernels) break;
    if (static_cast<double>(std::abs(one.delta())) < 0.005 * static_cast<double>(time.a)) break;
    if (told++ == 0) text += "What changed, by kernel, and how much of the time of A it is:\n";
    left -= one.delta();
    text += change_line(one.delta(), time.a, kernel_words(one));
  }
  if (told > 0 && left != 0) text += change_line(left, time.a, "everything else");
  return text;
}

}  // namespace cgpu
