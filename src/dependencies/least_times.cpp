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
  if (time >= 0) cases_.push_back({key, time});
}

void LeastTimes::finish() {
  std::vector<std::vector<int64_t>> times;
  std::vector<int64_t> all;
  all.reserve(cases_.size());
  for (const Case& one : cases_) {
    if (one.key >= times.size()) times.resize(one.key + 1);
    times[one.key].push_back(one.time);
    all.push_back(one.time);
  }
  cases_ = {};
  if (!all.empty()) all_ = fifth_percentile(all);
  by_key_.assign(times.size(), kAbsent);
  for (size_t key = 0; key < times.size(); ++key) {
    if (times[key].size() >= kEnoughCases) by_key_[key] = fifth_percentile(times[key]);
  }
}

int64_t LeastTimes::of(uint32_t key) const {
  return key < by_key_.size() && by_key_[key] != kAbsent ? by_key_[key] : all_;
}

}  // namespace cgpu
