#include "comparison/words/change_headline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "comparison/attribution/changed_rank.h"
#include "comparison/sides/iteration_spread.h"
#include "comparison/words/quantity_words.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

std::string signed_ns(int64_t ns) {
  return (ns < 0 ? "-" : "+") + format_ns(std::abs(ns));
}

constexpr size_t kWidestInHeadline = 40;

/// "aten::div + ..." of "aten::div + 4 x aten::mul + 8 more"
std::string first_of(std::string_view names) {
  const size_t more = names.find(" + ");
  const std::string first = shorten(printable(names.substr(0, more)), kWidestInHeadline);
  return more == std::string_view::npos ? first : first + " + ...";
}

/// A cause by few letters: of work in an op that both sides have, that op without its kernels.
std::string brief_name(const Comparison& comparison, const Cause& cause) {
  switch (cause.kind) {
    case CauseKind::idle:
      return fmt::format("idle ({})", cause.key.substr(0, cause.key.find(": ")));
    case CauseKind::waiting:
      return "waiting for " + awaited_words(comparison, cause);
    default:
      break;
  }
  if (cause.place != 0) return shorten(printable(comparison.text(cause.place)), kWidestInHeadline);
  constexpr std::string_view kInPlaceOf = " -> ";
  const size_t arrow = cause.shown.find(kInPlaceOf);
  if (cause.kind != CauseKind::replaced || arrow == std::string::npos) return first_of(cause.shown);
  const std::string_view shown = cause.shown;
  return fmt::format("{} -> {}", first_of(shown.substr(0, arrow)), first_of(shown.substr(arrow + kInPlaceOf.size())));
}

/// "softmax -109.0 ms, bmm -89.0 ms": what changed for sure by `least` ns or more, three at most; "" where nothing did.
std::string certain_causes(const Comparison& comparison, const std::vector<ExplainedCause>& causes, int64_t least) {
  constexpr size_t kMostCauses = 3;
  std::vector<std::string> told;
  std::set<std::string> names;
  for (const ExplainedCause& one : causes) {
    if (told.size() == kMostCauses || std::abs(one.delta()) < least) break;
    if (one.delta() == 0 || !is_certain(comparison, one.cause->by_iteration).value_or(true)) continue;
    std::string name = brief_name(comparison, *one.cause);
    if (!names.insert(name).second)
      name = shorten(printable(one.cause->shown), kWidestInHeadline);  // another of that op
    told.push_back(fmt::format("{} {}", name, signed_ns(one.delta())));
  }
  return fmt::format("{}", fmt::join(told, ", "));
}

}  // namespace

std::string awaited_words(const Comparison& comparison, const Cause& waiting) {
  const std::optional<size_t> group = awaited_rank(comparison, waiting.by_run);
  return group ? fmt::format("rank {}", rank_of(comparison, *group)) : "other ranks";
}

MarkedText change_headline(const Comparison& comparison, const std::vector<ExplainedCause>& causes,
                           const PerSide<int64_t>& time, const NoiseOfTime& noise) {
  const std::string what = comparison.per_iteration() ? "An iteration" : "The whole";
  const int64_t change = time.b - time.a;
  if (change == 0) return fmt::format("{}: {} in both.\n", what, format_ns(time.a));
  const MarkedText times = change_of_time(static_cast<double>(time.a), static_cast<double>(time.b));
  const std::string by = fmt::format(" ({})", signed_ns(change));
  if (!noise.within) {
    MarkedText words = what + ": " + times + by;
    const std::string names = certain_causes(comparison, causes, std::abs(change) / 10);
    if (!names.empty()) words += ": " + names;
    return words + (iteration_spread(comparison) ? "; certain.\n" : ".\n");
  }
  const std::string words = what + ": " + times.plain() + by;
  if (!noise.of_iterations) return words + "; within noise.\n";
  std::vector<std::string> certain;
  const double least = std::max(noise.least / 10, kLeastShareOfChange * static_cast<double>(time.a));
  std::string names = certain_causes(comparison, causes, static_cast<int64_t>(least));
  if (names.empty() && noise.busy_change != 0) names = "work " + signed_ns(static_cast<int64_t>(noise.busy_change));
  if (!names.empty()) certain.push_back(std::move(names));
  if (noise.medians) {
    const double difference = noise.medians->b - noise.medians->a;
    certain.push_back(fmt::format("the median {} ({})", change_of_time(noise.medians->a, noise.medians->b).plain(),
                                  signed_ns(static_cast<int64_t>(difference))));
  }
  if (certain.empty()) {
    return words + (noise.slow.empty() ? "; within noise.\n" : fmt::format("; not certain: {}.\n", noise.slow));
  }
  return fmt::format("{}: {}; certain. On average {}{}; within noise.\n", what, fmt::join(certain, "; "), times.plain(),
                     by);
}

}  // namespace cgpu
