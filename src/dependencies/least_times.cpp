#include "dependencies/least_times.h"

#include <algorithm>

namespace cgpu {

namespace {

constexpr size_t kEnoughCases = 20;
constexpr int64_t kAbsent = -1;

int64_t fifth_percentile(std::vector<int64_t>& times) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 20);
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

}  // namespace

void LeastTimes::add(uint32_t key, int64_t time) {
  if (time < 0) return;
  if (key >= cases_.size()) cases_.resize(key + 1);
  cases_[key].push_back(time);
}

void LeastTimes::finish() {
  std::vector<int64_t> all;
  by_key_.assign(cases_.size(), kAbsent);
  for (size_t key = 0; key < cases_.size(); ++key) {
    std::vector<int64_t>& times = cases_[key];
    if (times.size() >= kEnoughCases) by_key_[key] = fifth_percentile(times);
    all.insert(all.end(), times.begin(), times.end());
    times = {};
  }
  cases_ = {};
  if (!all.empty()) all_ = fifth_percentile(all);
}

int64_t LeastTimes::of(uint32_t key) const {
  return key < by_key_.size() && by_key_[key] != kAbsent ? by_key_[key] : all_;
}

}  // namespace cgpu
