// What a device did over time, in a bounded number of buckets, for seeing many ranks beside each other.
//
// Buckets are as long as a power of two ns, as short as there may be that many, and begin at multiples of that on the
// clock that was recorded (since 1970, where that is known). Two neighbours of an even and an odd multiple are
// therefore a bucket of twice the length, and devices can be brought to one length of bucket exactly, whatever their
// spans are, in any order. The first and the last bucket end where the span of the device does. O(n log n) in the
// device ops, O(n) where they come sorted.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/partial.h"
#include "base/interval_set.h"

namespace cgpu {

/// What the time of a device goes to; what is left is idle.
enum class DeviceState : uint8_t { compute, exposed_communication, exposed_memory };
inline constexpr size_t kDeviceStates = 3;

class DeviceActivity {
 public:
  /// No span needs longer buckets.
  static constexpr unsigned kLongestLog2 = 62;

  DeviceActivity() = default;
  /// `clock_base`: ns to add to times of the run for those of the clock that was recorded.
  DeviceActivity(int32_t device, const Interval& span, int64_t clock_base, int64_t most_buckets);

  int32_t device() const { return device_; }
  /// Of the device's ops, on the run's clock.
  const Interval& span() const { return span_; }
  /// The length of a bucket is 2 to the power of this, in ns.
  unsigned length_log2() const { return length_log2_; }
  /// At least one.
  size_t buckets() const { return ns_.front().size(); }
  /// Where each bucket begins, and where the last one ends, on the run's clock.
  std::vector<int64_t> bounds() const;
  /// By bucket.
  const std::vector<int64_t>& time_in(DeviceState state) const { return ns_[static_cast<size_t>(state)]; }
  void set(DeviceState state, const IntervalSet& time);
  /// Makes buckets longer. O(buckets).
  void lengthen(unsigned length_log2);

  template <typename Archive>
  void members(Archive& archive) {
    archive(device_, span_.begin, span_.end, clock_base_, length_log2_, ns_);
    if constexpr (!Archive::kIsWriting) {
      if (!is_consistent()) archive.fail("holds an impossible activity of a device");
    }
  }

 private:
  /// Which multiple of the length the bucket with a time begins at.
  int64_t multiple_at(int64_t time, unsigned length_log2) const { return (time + clock_base_) >> length_log2; }
  size_t buckets_of(unsigned length_log2) const;
  bool is_consistent() const;

  int32_t device_ = 0;
  Interval span_;
  int64_t clock_base_ = 0;
  unsigned length_log2_ = 0;
  std::array<std::vector<int64_t>, kDeviceStates> ns_;  // by state and bucket
};

/// Of the devices of a run.
std::vector<DeviceActivity> device_activities(const RunInSession& run, int64_t most_buckets);

}  // namespace cgpu
