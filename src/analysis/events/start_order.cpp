#include "analysis/events/start_order.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/sort_runs.h"

namespace cgpu {

StartOrder::StartOrder(const std::vector<int64_t>& starts) : starts_(starts) {
  constexpr size_t kMostRuns = 64;  // beyond, sorting is sooner done
  SliceIndex begin = 0;
  for (SliceIndex i = 1; i <= starts.size(); ++i) {
    if (i < starts.size() && starts[i] >= starts[i - 1]) continue;
    heads_.push_back({starts[begin], begin, i});
    begin = i;
    if (heads_.size() > kMostRuns) {
      make_index();
      return;
    }
  }
  sorted_ = heads_.size() <= 1;
  std::make_heap(heads_.begin(), heads_.end(), std::greater<>());
}

SliceIndex StartOrder::outside_of_blocks(size_t place) {
  if (index_.empty()) {
    const size_t number = place / kBlock;
    while (next_ <= number) merge_next();
    if (last_.number == number) return last_.slices[place % kBlock];
    make_index();  // of a block that has gone
  }
  return index_[place];
}

void StartOrder::merge_next() {
  std::swap(last_, before_);
  last_.number = next_++;
  last_.slices.clear();
  last_.slices.reserve(kBlock);
  while (last_.slices.size() < kBlock && !heads_.empty()) {
    std::pop_heap(heads_.begin(), heads_.end(), std::greater<>());
    Head& head = heads_.back();
    last_.slices.push_back(head.slice);
    if (++head.slice == head.end) {
      heads_.pop_back();
      continue;
    }
    head.start = starts_[head.slice];
    std::push_heap(heads_.begin(), heads_.end(), std::greater<>());
  }
}

void StartOrder::make_index() {
  index_.resize(starts_.size());
  std::iota(index_.begin(), index_.end(), 0U);
  sort_runs(index_,
            [&](SliceIndex a, SliceIndex b) { return starts_[a] != starts_[b] ? starts_[a] < starts_[b] : a < b; });
}

}  // namespace cgpu
