// Slices in order of start: the same as sorting all of them, in whatever order places are asked for.
#include "analysis/events/start_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace cgpu {
namespace {

std::vector<SliceIndex> sorted(const std::vector<int64_t>& starts) {
  std::vector<SliceIndex> order(starts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](SliceIndex a, SliceIndex b) { return starts[a] < starts[b]; });
  return order;
}

/// `runs` sorted runs with equal starts within and across them.
std::vector<int64_t> starts_of(size_t size, size_t runs, std::mt19937& random) {
  std::vector<int64_t> starts(size);
  for (int64_t& start : starts) start = static_cast<int64_t>(random() % (size + 1));
  for (size_t run = 0; run < runs; ++run) {
    const auto begin = starts.begin() + static_cast<std::ptrdiff_t>(size * run / runs);
    std::sort(begin, starts.begin() + static_cast<std::ptrdiff_t>(size * (run + 1) / runs));
  }
  return starts;
}

TEST(StartOrder, EqualsSortingWhateverTheRuns) {
  std::mt19937 random(5);
  for (const size_t size : {size_t{0}, size_t{1}, size_t{2}, size_t{1000}, 3 * StartOrder::kBlock + 17}) {
    for (const size_t runs : {1, 2, 7, 64, 65, 1000}) {
      const std::vector<int64_t> starts = starts_of(size, runs, random);
      const std::vector<SliceIndex> expected = sorted(starts);
      StartOrder order(starts);
      std::vector<SliceIndex> found;
      for (size_t place = 0; place < size; ++place) found.push_back(order.at(place));
      EXPECT_EQ(found, expected) << size << " slices, " << runs << " runs";
    }
  }
}

TEST(StartOrder, PlacesMayBeAskedForInAnyOrder) {
  std::mt19937 random(6);
  const std::vector<int64_t> starts = starts_of(5 * StartOrder::kBlock, 9, random);
  const std::vector<SliceIndex> expected = sorted(starts);
  StartOrder random_order(starts);
  for (int i = 0; i < 1000; ++i) {
    const size_t place = random() % starts.size();
    ASSERT_EQ(random_order.at(place), expected[place]);
  }
  StartOrder column_by_column(starts);  // a batch of rows across two blocks, once a column
  for (size_t begin = 100; begin + StartOrder::kBlock <= starts.size(); begin += StartOrder::kBlock) {
    for (int column = 0; column < 3; ++column) {
      for (size_t place = begin; place < begin + StartOrder::kBlock; ++place) {
        ASSERT_EQ(column_by_column.at(place), expected[place]);
      }
    }
  }
}

}  // namespace
}  // namespace cgpu
