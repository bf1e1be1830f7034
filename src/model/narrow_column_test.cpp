// Columns that keep numbers in fewer bits while they fit: whatever is done to one, it holds what a vector would.
#include "model/narrow_column.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace cgpu {
namespace {

template <typename Column>
void expect_same(const Column& column, const std::vector<typename Column::value_type>& expected) {
  ASSERT_EQ(column.size(), expected.size());
  const auto values = column.values();
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(column[i], expected[i]) << i;
    ASSERT_EQ(values[i], expected[i]) << i;
  }
  EXPECT_TRUE(std::equal(column.begin(), column.end(), expected.begin(), expected.end()));
}

template <typename T>
class NarrowColumns : public ::testing::Test {};
using Types = ::testing::Types<NarrowColumn<int64_t, INT64_MIN, int32_t>, NarrowColumn<uint64_t, UINT64_MAX, uint32_t>,
                               NarrowColumn<uint32_t, UINT32_MAX, uint16_t>, NarrowColumn<uint32_t, 0, uint16_t>,
                               NarrowColumn<int64_t, -1, int16_t>>;
TYPED_TEST_SUITE(NarrowColumns, Types);

TYPED_TEST(NarrowColumns, HoldWhatAVectorHolds) {
  using T = typename TypeParam::value_type;
  using Narrow = std::numeric_limits<typename TypeParam::narrow_type>;
  // The borders of the narrow numbers, one of which stands for none, and their neighbours.
  const std::vector<T> edges{0,
                             1,
                             TypeParam::absent,
                             std::numeric_limits<T>::max(),
                             std::numeric_limits<T>::min(),
                             static_cast<T>(Narrow::max()),
                             static_cast<T>(Narrow::max()) - 1,
                             static_cast<T>(static_cast<T>(Narrow::max()) + 1),
                             static_cast<T>(Narrow::min()),
                             static_cast<T>(static_cast<T>(Narrow::min()) + 1)};
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    TypeParam column;
    std::vector<T> expected;
    const bool wide = round % 3 != 0;
    const auto value = [&] { return wide && random() % 20 == 0 ? edges[random() % edges.size()] : T(random() % 1000); };
    for (int step = 0; step < 60; ++step) {
      const size_t at = expected.empty() ? 0 : random() % expected.size();
      switch (expected.empty() ? 0 : random() % 4) {
        case 0:
        case 1:
          expected.push_back(value());
          column.push_back(expected.back());
          break;
        case 2:
          expected[at] = value();
          column[at] = expected[at];
          break;
        default: {
          const size_t by = random() % 3;
          const size_t size = expected.size();
          expected.resize(size + by);
          column.resize(size + by);
          std::move_backward(expected.begin() + static_cast<std::ptrdiff_t>(at),
                             expected.begin() + static_cast<std::ptrdiff_t>(size), expected.end());
          column.move_back(at, size, by);
        }
      }
      expect_same(column, expected);
    }
    TypeParam again;
    for (const T one : expected) again.push_back(one);
    EXPECT_EQ(column, again);
  }
}

TYPED_TEST(NarrowColumns, TakeLessRoomWhileTheNumbersFit) {
  using T = typename TypeParam::value_type;
  TypeParam column;
  for (int i = 0; i < 10; ++i) column.push_back(i % 2 == 0 ? T(i) : TypeParam::absent);
  EXPECT_EQ(column.bytes(), 10 * sizeof(typename TypeParam::narrow_type));
  column.push_back(std::numeric_limits<T>::max() - 1);
  EXPECT_EQ(column.bytes(), 11 * sizeof(T));
}

TYPED_TEST(NarrowColumns, AreReplacedNumberByNumber) {
  using T = typename TypeParam::value_type;
  TypeParam column;
  for (int i = 0; i < 10; ++i) column.push_back(T(i));
  column.replace_each([](T number) { return number == 7 ? std::numeric_limits<T>::max() : T(number + 1); });
  EXPECT_EQ(column, (std::vector<T>{1, 2, 3, 4, 5, 6, 7, std::numeric_limits<T>::max(), 9, 10}));
}

}  // namespace
}  // namespace cgpu
