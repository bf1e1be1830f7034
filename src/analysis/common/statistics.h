// Statistics of durations and other samples: exact integer sums, order statistics, sample deviation.
#pragma once

#include <cstdint>
#include <vector>

namespace cgpu {

/// Mean of the values; 0 for none.
double mean(const std::vector<int64_t>& values);
/// Sample standard deviation (n - 1), two passes; 0 for fewer than two values.
double sample_deviation(const std::vector<int64_t>& values);
/// The value at position q (n - 1) of the sorted values, interpolated linearly between neighbours; 0 for none.
double quantile_of_sorted(const std::vector<int64_t>& sorted, double q);
/// The middle value, or the mean of the two middle ones; 0 for none. Expected O(n).
double median(std::vector<int64_t> values);

/// What the tables say about a set of durations in ns. Keeps every value (8 bytes each) for median and deviation.
class DurationStatistics {
 public:
  void add(int64_t duration) {
    values_.push_back(duration);
    total_ += duration;
  }

  void combine(DurationStatistics&& other) {
    if (values_.empty()) {
      *this = std::move(other);
      return;
    }
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
    total_ += other.total_;
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(values_, total_);
  }

  int64_t count() const { return static_cast<int64_t>(values_.size()); }
  int64_t total() const { return total_; }
  double mean() const { return cgpu::mean(values_); }
  double median() const { return cgpu::median(values_); }
  int64_t min() const;  // 0 for none
  int64_t max() const;  // 0 for none
  double deviation() const { return sample_deviation(values_); }

 private:
  std::vector<int64_t> values_;
  int64_t total_ = 0;
};

}  // namespace cgpu
