#include "analysis/ranks/device_activity.h"

#include <algorithm>
#include <utility>

#include "analysis/common/buckets.h"
#include "analysis/device/device_ops.h"
#include "analysis/device/device_time.h"

namespace cgpu {

DeviceActivity::DeviceActivity(int32_t device, const Interval& span, int64_t clock_base, int64_t most_buckets)
    : device_(device), span_(span), clock_base_(clock_base) {
  const auto most = static_cast<size_t>(std::max<int64_t>(most_buckets, 1));
  while (length_log2_ < kLongestLog2 && buckets_of(length_log2_) > most) ++length_log2_;
  for (std::vector<int64_t>& ns : ns_) ns.assign(buckets_of(length_log2_), 0);
}

size_t DeviceActivity::buckets_of(unsigned length_log2) const {
  if (span_.begin >= span_.end) return 1;
  const int64_t first = multiple_at(span_.begin, length_log2);
  const int64_t last = multiple_at(span_.end - 1, length_log2);
  return static_cast<size_t>(static_cast<uint64_t>(last) - static_cast<uint64_t>(first)) + 1;
}

std::vector<int64_t> DeviceActivity::bounds() const {
  const int64_t first = multiple_at(span_.begin, length_log2_);
  std::vector<int64_t> bounds = {span_.begin};
  bounds.reserve(buckets() + 1);
  for (size_t i = 1; i < buckets(); ++i) {
    bounds.push_back((first + static_cast<int64_t>(i)) * (int64_t{1} << length_log2_) - clock_base_);
  }
  bounds.push_back(span_.end);
  return bounds;
}

void DeviceActivity::set(DeviceState state, const IntervalSet& time) {
  ns_[static_cast<size_t>(state)] = covered_in(bounds(), time);
}

void DeviceActivity::lengthen(unsigned length_log2) {
  if (length_log2 <= length_log2_) return;
  const int64_t first = multiple_at(span_.begin, length_log2);
  const int64_t first_before = multiple_at(span_.begin, length_log2_);
  const unsigned factor_log2 = length_log2 - length_log2_;
  for (std::vector<int64_t>& ns : ns_) {
    std::vector<int64_t> longer(buckets_of(length_log2), 0);
    for (size_t i = 0; i < ns.size(); ++i) {
      const int64_t bucket = ((first_before + static_cast<int64_t>(i)) >> factor_log2) - first;
      longer[static_cast<size_t>(bucket)] += ns[i];
    }
    ns = std::move(longer);
  }
  length_log2_ = length_log2;
}

bool DeviceActivity::is_consistent() const {
  int64_t any = 0;
  if (length_log2_ > kLongestLog2 || span_.begin > span_.end || __builtin_sub_overflow(span_.end, span_.begin, &any) ||
      __builtin_add_overflow(span_.begin, clock_base_, &any) || __builtin_add_overflow(span_.end, clock_base_, &any)) {
    return false;
  }
  const size_t count = buckets_of(length_log2_);
  for (const std::vector<int64_t>& ns : ns_) {
    if (ns.size() != count) return false;
  }
  const std::vector<int64_t> begins = bounds();
  for (size_t i = 0; i < count; ++i) {
    int64_t left = begins[i + 1] - begins[i];
    for (const std::vector<int64_t>& ns : ns_) {
      if (ns[i] < 0 || ns[i] > left) return false;
      left -= ns[i];
    }
  }
  return true;
}

std::vector<DeviceActivity> device_activities(const RunInSession& run, int64_t most_buckets) {
  const Timeline& timeline = run.timeline();
  const int64_t recorded_base = run.run().clock_base - run.run().clock.offset;
  std::vector<DeviceActivity> all;
  for (const auto& [device, ops] : ops_by_device(timeline)) {
    const DeviceTime time = device_time(timeline, ops);
    DeviceActivity& activity = all.emplace_back(device, time.span, recorded_base, most_buckets);
    activity.set(DeviceState::compute, time.compute);
    activity.set(DeviceState::exposed_communication, time.exposed_communication);
    activity.set(DeviceState::exposed_memory, time.exposed_memory);
  }
  return all;
}

}  // namespace cgpu
