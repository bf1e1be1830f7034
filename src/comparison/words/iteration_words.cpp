#include "comparison/words/iteration_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "analysis/common/statistics.h"
#include "analysis/findings/thresholds.h"
#include "comparison/sides/iteration_spread.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/words/quantity_words.h"
#include "table/units.h"

namespace cgpu {

namespace {

double usual_time(const Comparison& comparison) {
  return per_device_iteration(comparison, Side::a, comparison.totals(Side::a).time);
}

std::string ns_words(double ns) {
  return format_ns(static_cast<int64_t>(std::abs(ns)));
}

/// The time in which devices do something, by iteration.
std::optional<Spread> spread_of_busy_time(const Comparison& comparison) {
  PerSide<std::vector<int64_t>> busy;
  for (const Cause& cause : comparison.causes()) {
    if (cause.kind == CauseKind::idle) continue;
    for (const Side side : kSides) {
      const std::vector<int64_t>& part = cause.by_iteration[side];
      if (busy[side].size() < part.size()) busy[side].resize(part.size());
      for (size_t i = 0; i < part.size(); ++i) busy[side][i] += part[i];
    }
  }
  return spread_of_series(comparison, busy);
}

/// "62.8 ms in number 4 and 78.1 ms in number 5"; of many the longest time.
std::string times_of(const std::vector<Iteration>& iterations, const std::vector<size_t>& slow) {
  constexpr size_t kMostNamed = 3;
  const auto length = [&](size_t i) { return iterations[i].time.end - iterations[i].time.begin; };
  if (slow.size() > kMostNamed) {
    int64_t longest = 0;
    for (const size_t i : slow) longest = std::max(longest, length(i));
    return "up to " + format_ns(longest);
  }
  std::vector<std::string> times;
  for (const size_t i : slow) {
    times.push_back(
        fmt::format("{} in number {}", format_ns(length(i)), iterations[i].number.value_or(static_cast<int64_t>(i))));
  }
  return fmt::format("{}", fmt::join(times, ", "));
}

constexpr size_t kFewestForSlow = 4;

/// The iterations of a run that take far longer than the others.
struct SlowIterations {
  size_t run = 0;
  std::vector<size_t> which;
  size_t of = 0;

  std::string count_words() const { return fmt::format("{} of {} iterations", which.size(), of); }
};

/// Of the first run of a side that has some.
std::optional<SlowIterations> slow_iterations(const Comparison& comparison, Side side) {
  constexpr double kFarSlower = 1.25;
  if (!comparison.per_iteration()) return std::nullopt;
  const std::vector<std::vector<int64_t>>& runs = comparison.totals(side).iteration_times;
  for (size_t run = 0; run < runs.size(); ++run) {
    const std::vector<int64_t>& times = runs[run];
    if (times.size() < kFewestForSlow) continue;
    const double usual = median(times);
    SlowIterations slow{run, {}, times.size()};
    for (size_t i = 0; i < times.size(); ++i) {
      if (static_cast<double>(times[i]) > kFarSlower * usual) slow.which.push_back(i);
    }
    // What comes again and again is no exception, and what hardly moves the mean explains nothing.
    if (slow.which.empty() || 2 * slow.which.size() >= times.size()) continue;
    if (mean(times) >= (1 + Thresholds{}.noticeable) * usual) return slow;
  }
  return std::nullopt;
}

}  // namespace

std::string busy_words(const Comparison& comparison) {
  if (comparison.host(Side::a) != nullptr || comparison.host(Side::b) != nullptr) return {};
  PerSide<double> busy;
  PerSide<double> idle;
  for (const Side side : kSides) {
    busy[side] = per_device_iteration(comparison, side, comparison.activity(side).busy);
    idle[side] = per_device_iteration(comparison, side, comparison.activity(side).idle);
  }
  const double least = kLeastShareOfChange * usual_time(comparison);
  if (std::abs(busy.b - busy.a) < least || std::abs(idle.b - idle.a) < least) return {};
  const bool one = comparison.totals(Side::a).devices == 1 && comparison.totals(Side::b).devices == 1;
  return fmt::format("{}: busy {} -> {} ({}), idle {} -> {}.\n", one ? "The device" : "A device on average",
                     ns_words(busy.a), ns_words(busy.b), ratio_words(busy.a, busy.b), ns_words(idle.a),
                     ns_words(idle.b));
}

NoiseOfTime noise_of_time(const Comparison& comparison, const PerSide<int64_t>& time) {
  const double change = std::abs(static_cast<double>(time.b - time.a));
  const std::optional<Spread> spread = iteration_spread(comparison);
  if (!spread) {
    const double least = 0.02 * static_cast<double>(time.a);
    if (change > least) return {};
    const char* words = change > 0 ? "That is less than two runs of one program usually differ by.\n" : "";
    return {.within = true, .least = least, .words = words};
  }
  const double smallest = kLeastShareOfChange * static_cast<double>(time.a);
  const double least = std::max(spread->high - spread->delta, smallest);
  if (spread->differs && change > smallest) return {};
  NoiseOfTime noise{.within = true, .of_iterations = true, .least = least};
  if (spread->median_differs) noise.medians = spread->median;
  const Side longer = time.b > time.a ? Side::b : Side::a;
  if (const auto slow = slow_iterations(comparison, longer); slow && !slow_iterations(comparison, other(longer))) {
    noise.slow = fmt::format("{} of {} {} far longer", slow->count_words(), longer == Side::a ? "A" : "B",
                             slow->which.size() == 1 ? "takes" : "take");
  }
  noise.words = fmt::format("That is within what iterations differ by themselves ({} either way)", ns_words(least));
  const std::optional<Spread> busy = spread_of_busy_time(comparison);
  if (!busy || !busy->differs || std::abs(busy->delta) <= smallest) {
    noise.words += ".\n";
    return noise;
  }
  noise.busy_change = busy->delta;
  noise.words +=
      fmt::format(", since their idle time varies; but work takes {} {} for sure ({} either way).\n",
                  ns_words(busy->delta), busy->delta > 0 ? "more" : "less", ns_words(busy->high - busy->delta));
  return noise;
}

MarkedText slow_iteration_words(const Comparison& comparison, const NoiseOfTime& noise) {
  std::string words;
  PerSide<double> middle;
  for (const Side side : kSides) {
    const std::vector<std::vector<int64_t>>& runs = comparison.totals(side).iteration_times;
    if (!runs.empty() && runs.front().size() >= kFewestForSlow) middle[side] = median(runs.front());
    const std::optional<SlowIterations> slow = slow_iterations(comparison, side);
    if (!slow) continue;
    const std::string of_rank =
        runs.size() > 1 ? fmt::format(" of rank {}", comparison.facts(side).run(slow->run).rank) : "";
    words += fmt::format("In {}, {} {} far longer than the others{}: {}.\n", side == Side::a ? "A" : "B",
                         slow->count_words(), slow->which.size() == 1 ? "takes" : "take", of_rank,
                         times_of(comparison.time(side, slow->run).iterations, slow->which));
  }
  if (words.empty() || noise.medians || middle.a == 0 || middle.b == 0) return words;
  const MarkedText change = change_of_time(middle.a, middle.b);
  return words + "The median iteration: " + (noise.within ? MarkedText(change.plain()) : change) + ".\n";
}

}  // namespace cgpu
