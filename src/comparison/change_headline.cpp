#include "comparison/change_headline.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

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

}  // namespace

std::string change_headline(const Comparison& comparison, const std::vector<ExplainedCause>& causes,
                            const PerSide<int64_t>& time, const NoiseOfTime& noise) {
  const std::string what = comparison.per_iteration() ? "An iteration" : "The whole";
  const int64_t change = time.b - time.a;
  if (change == 0) return fmt::format("{}: {} in both.\n", what, format_ns(time.a));
  std::string words = fmt::format(
      "{}: {} ({})", what, change_of_time(static_cast<double>(time.a), static_cast<double>(time.b)), signed_ns(change));
  if (noise.within) return words + "; within noise.\n";
  constexpr size_t kMostCauses = 3;
  size_t named = 0;
  for (const ExplainedCause& one : causes) {
    if (named == kMostCauses || std::abs(one.delta()) < std::abs(change) / 10) break;
    if (one.delta() == 0 || !is_certain(comparison, one)) continue;
    words += fmt::format("{} {} {}", named++ == 0 ? ":" : ",", brief_name(*one.cause), signed_ns(one.delta()));
  }
  return words + (iteration_spread(comparison) ? "; certain.\n" : ".\n");
}

}  // namespace cgpu
