// For tests: tables by way of partial results, in any order and grouping.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/partial_bytes.h"

namespace cgpu {

inline std::unique_ptr<Partial> through_bytes(const Analysis& analysis, const TableOptions& options,
                                              const Partial& partial) {
  return partial_from_bytes(analysis, options, partial_to_bytes(analysis, options, partial), "a test");
}

/// The table by way of partial results: runs are dealt to groups at random, in random order, some of the groups go
/// through bytes, and the groups are combined pair by pair in random order.
inline Table folded(const Analysis& analysis, const TableOptions& options, const SessionFacts& facts,
                    std::mt19937_64& random) {
  const auto runs = static_cast<uint32_t>(facts.session().runs.size());
  std::vector<uint32_t> order(runs);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::unique_ptr<Partial>> groups(1 + random() % (runs + 1));
  for (auto& group : groups) group = analysis.fold(analysis, options);
  for (const uint32_t run : order) groups[random() % groups.size()]->update({facts, run, run});
  while (groups.size() > 1) {
    std::shuffle(groups.begin(), groups.end(), random);
    if (random() % 2 == 0) groups[0] = through_bytes(analysis, options, *groups[0]);
    groups[0]->combine(std::move(*groups.back()));
    groups.pop_back();
  }
  std::vector<uint32_t> numbers(runs);
  std::iota(numbers.begin(), numbers.end(), 0);
  return through_bytes(analysis, options, *groups[0])->finalize({facts, numbers});
}

}  // namespace cgpu
