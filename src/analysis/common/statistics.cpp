#include "analysis/common/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace cgpu {

namespace {
/// Between a and b >= a. The difference is taken in integers, so that large neighbours lose nothing.
double between(int64_t a, int64_t b, double share) {
  return static_cast<double>(a) + static_cast<double>(b - a) * share;
}

__extension__ using Wide = unsigned __int128;

/// Sums of integers, divided once: every machine says the same to the last digit.
double exact_mean(int64_t total, int64_t count) {
  return static_cast<double>(total) / static_cast<double>(count);
}

/// Of `count` values, two or more, with this sum and sum of squares.
double exact_deviation(Wide squares, int64_t total, int64_t count) {
  const Wide size = total < 0 ? -static_cast<Wide>(total) : static_cast<Wide>(total);
  const auto n = static_cast<Wide>(count);
  const auto degrees = static_cast<double>(count - 1);
  if (squares <= ~Wide{0} / n) {
    const Wide about_mean = std::max(squares * n, size * size) - size * size;  // n times it
    return std::sqrt(static_cast<double>(about_mean) / (static_cast<double>(count) * degrees));
  }
  return std::sqrt(static_cast<double>(squares - size * size / n) / degrees);
}
}  // namespace

double mean(const std::vector<int64_t>& values) {
  if (values.empty()) return 0;
  return exact_mean(std::accumulate(values.begin(), values.end(), int64_t{0}), std::ssize(values));
}

double sample_deviation(const std::vector<int64_t>& values) {
  if (values.size() < 2) return 0;
  int64_t total = 0;
  Wide squares = 0;
  for (const int64_t value : values) {
    total += value;
    const Wide size = value < 0 ? -static_cast<Wide>(value) : static_cast<Wide>(value);
    squares += size * size;
  }
  return exact_deviation(squares, total, std::ssize(values));
}

double quantile_of_sorted(const std::vector<int64_t>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  if (below + 1 >= sorted.size()) return static_cast<double>(sorted.back());
  return between(sorted[below], sorted[below + 1], position - static_cast<double>(below));
}

double median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return static_cast<double>(*middle);
  return between(*std::max_element(values.begin(), middle), *middle, 0.5);
}

namespace {

constexpr int kSubBits = 6;  // 64 buckets from a power of two to the next

uint32_t bucket_of(int64_t duration) {
  const auto value = static_cast<uint64_t>(std::max<int64_t>(duration, 0));
  const int bits = static_cast<int>(std::bit_width(value));
  if (bits <= kSubBits + 1) return static_cast<uint32_t>(value);
  const int shift = bits - kSubBits - 1;
  return static_cast<uint32_t>(shift << kSubBits) + static_cast<uint32_t>(value >> shift);
}

constexpr uint32_t kBuckets = (64 - kSubBits) << kSubBits;

/// Its middle.
double value_of(uint32_t bucket) {
  const uint32_t octave = bucket >> kSubBits;
  if (octave < 2) return bucket;
  const int shift = static_cast<int>(octave) - 1;
  const uint64_t first = (uint64_t{bucket} - (static_cast<uint64_t>(shift) << kSubBits)) << shift;
  return static_cast<double>(first) + static_cast<double>((uint64_t{1} << shift) - 1) / 2;
}

}  // namespace

void DurationHistogram::add(int64_t duration) {
  const auto value = static_cast<Wide>(duration < 0 ? 0 : duration);
  const Wide square = value * value;
  add_squares(static_cast<uint64_t>(square >> 64), static_cast<uint64_t>(square));
  min_ = count_ == 0 ? duration : std::min(min_, duration);
  max_ = count_ == 0 ? duration : std::max(max_, duration);
  ++count_;
  total_ += duration;
  ++buckets_[bucket_of(duration)];
}

void DurationHistogram::add_squares(uint64_t high, uint64_t low) {
  squares_low_ += low;
  squares_high_ += high + (squares_low_ < low ? 1 : 0);
}

void DurationHistogram::combine(const DurationHistogram& other) {
  if (other.count_ == 0) return;
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  count_ += other.count_;
  total_ += other.total_;
  add_squares(other.squares_high_, other.squares_low_);
  for (const auto& [bucket, count] : other.buckets_) buckets_[bucket] += count;
}

std::string_view DurationHistogram::fault() const {
  constexpr int64_t kMostCount = int64_t{1} << 48;
  int64_t sum = 0;
  for (const auto& [bucket, count] : buckets_) {
    if (bucket >= kBuckets || count <= 0 || count > kMostCount || sum > kMostCount) return "holds no histogram";
    sum += count;
  }
  return sum == count_ && min_ <= max_ ? "" : "holds a histogram that does not add up";
}

double DurationHistogram::deviation() const {
  if (count_ < 2) return 0;
  return exact_deviation(Wide{squares_high_} << 64 | squares_low_, total_, count_);
}

double DurationHistogram::value_at(int64_t place) const {
  for (const auto& [bucket, count] : buckets_) {
    if (place < count) {
      return std::clamp(value_of(bucket), static_cast<double>(min_), static_cast<double>(max_));
    }
    place -= count;
  }
  return static_cast<double>(max_);
}

double DurationHistogram::median() const {
  if (count_ == 0) return 0;
  return (value_at((count_ - 1) / 2) + value_at(count_ / 2)) / 2;
}

DurationHistogram DurationStatistics::all_in_histogram() const {
  DurationHistogram all = histogram_.value_or(DurationHistogram());
  for (const int64_t value : values_) all.add(value);
  return all;
}

double DurationStatistics::mean() const {
  if (!histogram_) return cgpu::mean(values_);
  return exact_mean(total_, count());
}

int64_t DurationStatistics::min() const {
  if (histogram_) return all_in_histogram().min();
  return values_.empty() ? 0 : *std::min_element(values_.begin(), values_.end());
}

int64_t DurationStatistics::max() const {
  if (histogram_) return all_in_histogram().max();
  return values_.empty() ? 0 : *std::max_element(values_.begin(), values_.end());
}

}  // namespace cgpu
