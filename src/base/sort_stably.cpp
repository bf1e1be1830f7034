#include "base/sort_stably.h"

#include <algorithm>
#include <numeric>

namespace cgpu {

std::vector<uint32_t> stable_order(size_t size, const void* things, bool (*before)(const void*, uint32_t, uint32_t)) {
  std::vector<uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [=](uint32_t a, uint32_t b) { return before(things, a, b); });
  return order;
}

}  // namespace cgpu
