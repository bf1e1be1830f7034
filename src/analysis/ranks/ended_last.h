// Of times that come in the order of their starts: which of those before it ended last before each begins. O(log n)
// each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace cgpu {

class EndedLast {
 public:
  /// The number of the time with the latest end up to `start`; of equal ends the largest. Nothing where none has ended.
  std::optional<uint32_t> before(int64_t start) {
    while (!open_.empty() && open_.front().first <= start) {
      latest_ = open_.front().second;
      std::pop_heap(open_.begin(), open_.end(), std::greater<>());
      open_.pop_back();
    }
    return latest_;
  }
  void add(int64_t end, uint32_t number) {
    open_.emplace_back(end, number);
    std::push_heap(open_.begin(), open_.end(), std::greater<>());
  }

 private:
  std::vector<std::pair<int64_t, uint32_t>> open_;  // ends after which nothing has begun yet, the first on top
  std::optional<uint32_t> latest_;
};

}  // namespace cgpu
