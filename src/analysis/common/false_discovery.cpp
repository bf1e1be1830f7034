#include "analysis/common/false_discovery.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace cgpu {

std::vector<double> adjusted_chances(const std::vector<double>& chances) {
  std::vector<size_t> order(chances.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return chances[a] < chances[b]; });
  std::vector<double> adjusted(chances.size());
  double least = 1;
  for (size_t rank = order.size(); rank > 0; --rank) {
    const size_t test = order[rank - 1];
    least = std::min(least, chances[test] * static_cast<double>(order.size()) / static_cast<double>(rank));
    adjusted[test] = least;
  }
  return adjusted;
}

}  // namespace cgpu
