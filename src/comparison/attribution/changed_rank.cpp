#include "comparison/attribution/changed_rank.h"

#include <algorithm>
#include <numeric>

namespace cgpu {

namespace {

/// Of an iteration of each group, ns.
std::vector<double> changes_of_ranks(const Comparison& comparison, const PerSide<std::vector<int64_t>>& by_run) {
  std::vector<double> changes;
  for (size_t group = 0; group < comparison.groups().size(); ++group) {
    changes.push_back(time_of_rank(comparison, by_run, Side::b, group) -
                      time_of_rank(comparison, by_run, Side::a, group));
  }
  return changes;
}

double sum_of(const std::vector<double>& changes) {
  return std::accumulate(changes.begin(), changes.end(), 0.0);
}

}  // namespace

double time_of_rank(const Comparison& comparison, const PerSide<std::vector<int64_t>>& by_run, Side side,
                    size_t group) {
  const size_t run = comparison.groups()[group].runs[side].front();
  return static_cast<double>(by_run[side][run]) /
         static_cast<double>(std::max<size_t>(1, comparison.time(side, run).iterations.size()));
}

std::optional<size_t> changed_rank(const Comparison& comparison, const PerSide<std::vector<int64_t>>& by_run) {
  constexpr double kMost = 0.8;
  if (comparison.groups().size() < 2) return std::nullopt;
  const std::vector<double> changes = changes_of_ranks(comparison, by_run);
  const double sum = sum_of(changes);
  for (size_t group = 0; group < changes.size(); ++group) {
    if (sum != 0 && changes[group] / sum > kMost) return group;
  }
  return std::nullopt;
}

std::optional<size_t> awaited_rank(const Comparison& comparison, const PerSide<std::vector<int64_t>>& by_run) {
  constexpr double kHardly = 0.1;  // of what the others do on average
  constexpr double kAlso = 0.5;
  if (comparison.groups().size() < 2) return std::nullopt;
  const std::vector<double> changes = changes_of_ranks(comparison, by_run);
  const double sum = sum_of(changes);
  if (sum == 0) return std::nullopt;
  const auto least = std::ranges::min_element(changes, {}, [&](double change) { return change / sum; });
  const double of_others = (sum - *least) / static_cast<double>(changes.size() - 1);
  for (auto change = changes.begin(); change != changes.end(); ++change) {
    if (change == least ? *change / of_others > kHardly : *change / of_others < kAlso) return std::nullopt;
  }
  return static_cast<size_t>(least - changes.begin());
}

int64_t rank_of(const Comparison& comparison, size_t group) {
  return comparison.facts(Side::b).run(comparison.groups()[group].runs.b.front()).rank;
}

}  // namespace cgpu
