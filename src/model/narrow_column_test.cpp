// Columns that keep 64-bit numbers in 32 bits while they fit: whatever is done to one, it holds what a vector would.
#include "model/narrow_column.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace cgpu {
namespace {

template <typename T>
constexpr T kNone = std::is_signed_v<T> ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
template <typename T>
using Column = NarrowColumn<T, kNone<T>>;

template <typename T>
void expect_same(const Column<T>& column, const std::vector<T>& expected) {
  ASSERT_EQ(column.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(column[i], expected[i]) << i;
  EXPECT_TRUE(std::equal(column.begin(), column.end(), expected.begin(), expected.end()));
}

template <typename T>
class NarrowColumns : public ::testing::Test {};
using Types = ::testing::Types<int64_t, uint64_t>;
TYPED_TEST_SUITE(NarrowColumns, Types);

TYPED_TEST(NarrowColumns, HoldWhatAVectorHolds) {
  using T = TypeParam;
  using Limits32 = std::numeric_limits<std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>;
  // The borders of 32 bits, the number in 32 bits that stands for none, and their neighbours.
  const std::vector<T> edges{0,
                             1,
                             kNone<T>,
                             std::numeric_limits<T>::max(),
                             std::numeric_limits<T>::min(),
                             static_cast<T>(Limits32::max()),
                             static_cast<T>(Limits32::max()) - 1,
                             static_cast<T>(static_cast<T>(Limits32::max()) + 1),
                             static_cast<T>(Limits32::min()),
                             static_cast<T>(Limits32::min()) + 1};
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    Column<T> column;
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
    Column<T> again;
    for (const T one : expected) again.push_back(one);
    EXPECT_EQ(column, again);
  }
}

TYPED_TEST(NarrowColumns, TakeHalfTheRoomWhileTheNumbersFit) {
  Column<TypeParam> column;
  for (int i = 0; i < 10; ++i) column.push_back(i % 2 == 0 ? TypeParam(i) : kNone<TypeParam>);
  EXPECT_EQ(column.bytes(), 40U);
  column.push_back(TypeParam(1) << 40);
  EXPECT_EQ(column.bytes(), 88U);
}

}  // namespace
}  // namespace cgpu
