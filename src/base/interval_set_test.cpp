#include "base/interval_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace cgpu {
namespace {

/// The oracle: one bit a nanosecond of [kLow, kLow + kBits).
constexpr int64_t kLow = -40;
constexpr size_t kBits = 120;
using Bits = std::vector<bool>;

Bits bits_of(const std::vector<Interval>& intervals) {
  Bits bits(kBits);
  for (const Interval& interval : intervals) {
    for (int64_t t = interval.begin; t < interval.end; ++t) bits[static_cast<size_t>(t - kLow)] = true;
  }
  return bits;
}

Bits combine(const Bits& a, const Bits& b, const std::function<bool(bool, bool)>& rule) {
  Bits result(kBits);
  for (size_t i = 0; i < kBits; ++i) result[i] = rule(a[i], b[i]);
  return result;
}

void expect_canonical(const IntervalSet& set) {
  for (size_t i = 0; i < set.intervals().size(); ++i) {
    EXPECT_LT(set.intervals()[i].begin, set.intervals()[i].end);
    if (i > 0) {
      EXPECT_LT(set.intervals()[i - 1].end, set.intervals()[i].begin);
    }
  }
}

void expect_equal(const IntervalSet& set, const Bits& bits, const char* what) {
  expect_canonical(set);
  EXPECT_EQ(bits_of(set.intervals()), bits) << what;
  EXPECT_EQ(set.length(), std::count(bits.begin(), bits.end(), true)) << what;
}

class RandomIntervals {
 public:
  explicit RandomIntervals(unsigned seed) : random_(seed) {}

  /// Overlapping, touching, empty and backward ones, in any order or sorted by begin.
  std::vector<Interval> next() {
    std::vector<Interval> intervals(random_() % 12);
    for (Interval& interval : intervals) {
      interval.begin = time();
      interval.end = random_() % 8 == 0 ? time() : std::min<int64_t>(interval.begin + random_() % 12, kLow + kBits);
    }
    if (random_() % 2 == 0) {
      std::sort(intervals.begin(), intervals.end(),
                [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    }
    return intervals;
  }
  int64_t time() { return kLow + static_cast<int64_t>(random_() % kBits); }

 private:
  std::mt19937 random_;
};

TEST(IntervalSet, Canonical) {
  const IntervalSet set({{10, 20}, {5, 10}, {30, 30}, {40, 35}, {15, 18}, {25, 26}});
  EXPECT_EQ(set.intervals(), (std::vector<Interval>{{5, 20}, {25, 26}}));
  EXPECT_EQ(set.length(), 16);
  EXPECT_TRUE(IntervalSet({{3, 3}}).empty());
  EXPECT_EQ(IntervalSet().length(), 0);
}

TEST(IntervalSet, EqualsBitsOnRandomSets) {
  RandomIntervals random(20240611);
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Interval> a = random.next();
    const std::vector<Interval> b = random.next();
    const IntervalSet x(a);
    const IntervalSet y(b);
    const Bits bits_x = bits_of(a);
    const Bits bits_y = bits_of(b);
    expect_equal(x, bits_x, "the set itself");
    expect_equal(x.unite(y), combine(bits_x, bits_y, [](bool p, bool q) { return p || q; }), "unite");
    expect_equal(x.intersect(y), combine(bits_x, bits_y, [](bool p, bool q) { return p && q; }), "intersect");
    expect_equal(x.subtract(y), combine(bits_x, bits_y, [](bool p, bool q) { return p && !q; }), "subtract");

    const int64_t begin = random.time();
    const int64_t end = random.time();  // before begin half the time: then nothing is left
    const Bits window = bits_of({{begin, end}});
    expect_equal(x.clip(begin, end), combine(bits_x, window, [](bool p, bool q) { return p && q; }), "clip");
  }
}

TEST(IntervalSet, ExtremeTimes) {
  const IntervalSet all({{INT64_MIN, INT64_MAX}});
  EXPECT_EQ(all.clip(-5, 7).intervals(), (std::vector<Interval>{{-5, 7}}));
  const IntervalSet some({{-5, 7}});
  EXPECT_EQ(some.clip(INT64_MIN, INT64_MAX).intervals(), some.intervals());
}

}  // namespace
}  // namespace cgpu
