// A count that is made of numbers from a file: products and sums that do not fit into 64 bits are unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace cgpu {

class Count {
 public:
  Count(int64_t value) : value_(value < 0 ? std::nullopt : std::optional(value)) {}  // a negative size is no size
  Count(std::optional<int64_t> value) : value_(value) {}

  friend Count operator*(Count a, Count b) {
    int64_t product = 0;
    if (!a.value_ || !b.value_ || __builtin_mul_overflow(*a.value_, *b.value_, &product)) return Count(std::nullopt);
    return product;
  }
  friend Count operator+(Count a, Count b) {
    int64_t sum = 0;
    if (!a.value_ || !b.value_ || __builtin_add_overflow(*a.value_, *b.value_, &sum)) return Count(std::nullopt);
    return sum;
  }
  /// Rounded down.
  Count halved() const { return value_ ? Count(*value_ / 2) : *this; }

  const std::optional<int64_t>& value() const { return value_; }

 private:
  std::optional<int64_t> value_;
};

/// The product of all; 1 for none.
inline Count product(std::span<const int64_t> factors) {
  Count all = 1;
  for (const int64_t factor : factors) all = all * factor;
  return all;
}

}  // namespace cgpu
