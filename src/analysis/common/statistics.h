// Statistics of durations and other samples: exact integer sums, order statistics, sample deviation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"

namespace cgpu {

/// Mean of the values; 0 for none.
double mean(const std::vector<int64_t>& values);
/// Sample standard deviation (n - 1), two passes; 0 for fewer than two values.
double sample_deviation(const std::vector<int64_t>& values);
/// The value at position q (n - 1) of the sorted values, interpolated linearly between neighbours; 0 for none.
double quantile_of_sorted(const std::vector<int64_t>& sorted, double q);
/// The middle value, or the mean of the two middle ones; 0 for none. Expected O(n).
double median(std::vector<int64_t> values);

/// Of more durations than are kept one by one: how many there are, by length, in buckets whose width is at most 1/64 of
/// it (a histogram as HdrHistogram's, by G. Tene), and what is exact of them. Any order of combination gives the same.
class DurationHistogram {
 public:
  void add(int64_t duration);
  void combine(const DurationHistogram& other);
  /// What is wrong with it, as one that was read; "" where nothing is.
  std::string_view fault() const;
  template <typename Archive>
  void members(Archive& archive) {
    archive(count_, total_, min_, max_, squares_high_, squares_low_, buckets_);
  }

  int64_t count() const { return count_; }
  int64_t total() const { return total_; }
  int64_t min() const { return min_; }
  int64_t max() const { return max_; }
  double deviation() const;
  /// Within 0.8 %: the middle of its bucket.
  double median() const;

 private:
  double value_at(int64_t place) const;
  void add_squares(uint64_t high, uint64_t low);

  int64_t count_ = 0;
  int64_t total_ = 0;
  int64_t min_ = 0;
  int64_t max_ = 0;
  uint64_t squares_high_ = 0;  // the sum of the squares, of 128 bits
  uint64_t squares_low_ = 0;
  std::map<uint32_t, int64_t> buckets_;
};

/// What the tables say about a set of durations in ns. Keeps every value (8 bytes each) for median and deviation; a
/// histogram instead where they come out of an archive that keeps no more.
class DurationStatistics {
 public:
  void add(int64_t duration) {
    values_.push_back(duration);
    total_ += duration;
  }

  void combine(DurationStatistics&& other) {
    if (other.histogram_ && !histogram_) {
      histogram_ = std::move(other.histogram_);
    } else if (other.histogram_) {
      histogram_->combine(*other.histogram_);
    }
    total_ += other.total_;
    if (values_.empty()) {
      values_ = std::move(other.values_);
    } else {
      values_.insert(values_.end(), other.values_.begin(), other.values_.end());
    }
  }
  template <typename Archive>
  void members(Archive& archive) {
    if constexpr (Archive::kIsWriting) {
      if (histogram_ || archive.reduced()) {
        archive(std::vector<int64_t>(), int64_t{0}, std::optional(all_in_histogram()));
      } else {
        archive(values_, total_, histogram_);
      }
    } else {
      if constexpr (Archive::kIsPositional) {
        bool reduced = false;
        archive(reduced);
        if (reduced) archive(histogram_.emplace());
        if (!reduced) archive(values_, total_);
      } else {
        archive(values_, total_, histogram_);
      }
      if (histogram_) {
        if (const std::string_view fault = histogram_->fault(); !fault.empty()) archive.fail(std::string(fault));
        values_ = {};
        total_ = histogram_->total();
      } else if (archive.reduced()) {
        histogram_ = all_in_histogram();
        values_ = {};
      }
    }
  }

  int64_t count() const { return static_cast<int64_t>(values_.size()) + (histogram_ ? histogram_->count() : 0); }
  int64_t total() const { return total_; }
  double mean() const;
  double median() const { return histogram_ ? all_in_histogram().median() : cgpu::median(values_); }
  int64_t min() const;  // 0 for none
  int64_t max() const;  // 0 for none
  double deviation() const { return histogram_ ? all_in_histogram().deviation() : sample_deviation(values_); }

 private:
  DurationHistogram all_in_histogram() const;

  std::vector<int64_t> values_;
  int64_t total_ = 0;
  std::optional<DurationHistogram> histogram_;  // of those that are not among the values
};

}  // namespace cgpu
