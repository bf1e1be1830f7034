#include "comparison/change_headline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "comparison/iteration_spread.h"
#include "comparison/quantity_words.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

std::string signed_ns(int64_t ns) {
  return (ns < 0 ? "-" : "+") + format_ns(std::abs(ns));
}

std::string brief_name(const Cause& cause) {
  constexpr size_t kWidestName = 40;
  switch (cause.kind) {
    case CauseKind::idle:
      return fmt::format("idle ({})", cause.key.substr(0, cause.key.find(": ")));
    case CauseKind::waiting:
      return "waiting for other ranks";
    default:
      return shorten(printable(cause.shown), kWidestName);
  }
}

/// "softmax -109.0 ms, bmm -89.0 ms": what changed for sure by `least` ns or more, three at most; "" where nothing did.
std::string certain_causes(const Comparison& comparison, const std::vector<ExplainedCause>& causes, int64_t least) {
  constexpr size_t kMostCauses = 3;
  std::vector<std::string> names;
  for (const ExplainedCause& one : causes) {
    if (names.size() == kMostCauses || std::abs(one.delta()) < least) break;
    if (one.delta() == 0 || !is_certain(comparison, one)) continue;
    names.push_back(fmt::format("{} {}", brief_name(*one.cause), signed_ns(one.delta())));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string change_headline(const Comparison& comparison, const std::vector<ExplainedCause>& causes,
                            const PerSide<int64_t>& time, const NoiseOfTime& noise) {
  const std::string what = comparison.per_iteration() ? "An iteration" : "The whole";
  const int64_t change = time.b - time.a;
  if (change == 0) return fmt::format("{}: {} in both.\n", what, format_ns(time.a));
  std::string words = fmt::format(
      "{}: {} ({})", what, change_of_time(static_cast<double>(time.a), static_cast<double>(time.b)), signed_ns(change));
  if (!noise.within) {
    const std::string names = certain_causes(comparison, causes, std::abs(change) / 10);
    if (!names.empty()) words += ": " + names;
    return words + (iteration_spread(comparison) ? "; certain.\n" : ".\n");
  }
  if (!noise.of_iterations) return words + "; within noise.\n";
  std::vector<std::string> certain;
  const double least = std::max(noise.least / 10, kLeastShareOfChange * static_cast<double>(time.a));
  std::string names = certain_causes(comparison, causes, static_cast<int64_t>(least));
  if (names.empty() && noise.busy_change != 0) names = "work " + signed_ns(static_cast<int64_t>(noise.busy_change));
  if (!names.empty()) certain.push_back(std::move(names));
  if (noise.medians) {
    const double difference = noise.medians->b - noise.medians->a;
    certain.push_back(fmt::format("the median {} ({})", change_of_time(noise.medians->a, noise.medians->b),
                                  signed_ns(static_cast<int64_t>(difference))));
  }
  if (certain.empty()) return words + "; within noise.\n";
  return fmt::format("{}: {}; certain. On average {} ({}); within noise.\n", what, fmt::join(certain, "; "),
                     change_of_time(static_cast<double>(time.a), static_cast<double>(time.b)), signed_ns(change));
}

}  // namespace cgpu
