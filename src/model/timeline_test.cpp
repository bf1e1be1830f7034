#include "model/timeline.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

namespace cgpu {
namespace {

/// Values that differ from row to row and from column to column, as far as their types can.
template <typename T>
T value_of(size_t row, size_t column) {
  return static_cast<T>(row * 31 + column * 7 + 1);
}

template <typename Columns, typename Row>
struct Case {
  using ColumnsType = Columns;
  using RowType = Row;

  static Row row(size_t number) {
    Row made;
    size_t column = 0;
    Columns::for_each_read_column([&](auto, auto field) {
      made.*field = value_of<std::remove_reference_t<decltype(made.*field)>>(number, column++);
    });
    return made;
  }

  static std::vector<Row> rows(const std::vector<uint32_t>& numbers) {
    std::vector<Row> made;
    for (const uint32_t number : numbers) made.push_back(row(number));
    return made;
  }

  /// Rows 0, 1, ... with the columns that are computed later.
  static Columns complete(size_t size) {
    Columns columns;
    size_t column_number = 0;
    Columns::for_each_column([&](auto column) {
      auto& values = columns.*column;
      for (size_t i = 0; i < size; ++i) {
        values.push_back(value_of<typename std::decay_t<decltype(values)>::value_type>(i, column_number));
      }
      ++column_number;
    });
    return columns;
  }

  static void expect_rows(const Columns& columns, const std::vector<uint32_t>& numbers, bool with_computed) {
    const Columns all = complete(1000);
    EXPECT_EQ(columns.size(), numbers.size());
    size_t read = 0;
    Columns::for_each_read_column([&](auto, auto) { ++read; });
    size_t column_number = 0;
    Columns::for_each_column([&](auto column) {
      const auto& values = columns.*column;
      const bool filled = column_number < read || with_computed;
      ASSERT_EQ(values.size(), filled ? numbers.size() : 0) << "column " << column_number;
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], (all.*column)[numbers[i]]) << "column " << column_number << ", row " << i;
      }
      ++column_number;
    });
  }
};

template <typename T>
class TimelineColumns : public testing::Test {};
using Cases = testing::Types<Case<Slices, Slice>, Case<DeviceOps, DeviceOp>>;
TYPED_TEST_SUITE(TimelineColumns, Cases);

std::vector<uint32_t> numbers_below(uint32_t end) {
  std::vector<uint32_t> numbers(end);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

TYPED_TEST(TimelineColumns, AppendedRowsAreInEveryColumnThatIsRead) {
  typename TypeParam::ColumnsType columns;
  for (uint32_t number = 0; number < 5; ++number) columns.append(TypeParam::row(number));
  TypeParam::expect_rows(columns, numbers_below(5), false);
}

TYPED_TEST(TimelineColumns, AppendingFromOthersCopiesEveryColumn) {
  typename TypeParam::ColumnsType columns;
  columns.append_from(TypeParam::complete(20), std::vector<uint32_t>{1, 5, 19});
  columns.append_from(TypeParam::complete(20), std::vector<uint32_t>{0});
  TypeParam::expect_rows(columns, {1, 5, 19, 0}, true);

  typename TypeParam::ColumnsType as_read;
  for (uint32_t number = 0; number < 3; ++number) as_read.append(TypeParam::row(number));
  typename TypeParam::ColumnsType copy;
  copy.append_from(as_read, std::vector<uint32_t>{2, 0});
  TypeParam::expect_rows(copy, {2, 0}, false);
}

TYPED_TEST(TimelineColumns, KeepingCutsEveryColumn) {
  auto columns = TypeParam::complete(20);
  columns.keep(std::vector<uint32_t>{0, 3, 4, 19});
  TypeParam::expect_rows(columns, {0, 3, 4, 19}, true);
  columns.keep({});
  TypeParam::expect_rows(columns, {}, true);
}

TYPED_TEST(TimelineColumns, InsertingKeepsTheOrderOfTheOthers) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto size = static_cast<uint32_t>(random() % 12);
    std::vector<uint32_t> here;
    std::vector<uint32_t> late;
    for (uint32_t i = 0; i < size; ++i) (random() % 2 == 0 ? here : late).push_back(i);
    typename TypeParam::ColumnsType columns;
    for (const uint32_t number : here) columns.append(TypeParam::row(number));
    columns.insert(TypeParam::rows(late), late);
    TypeParam::expect_rows(columns, numbers_below(size), false);
  }
}

TYPED_TEST(TimelineColumns, EveryColumnCountsInTheBytes) {
  const auto columns = TypeParam::complete(3);
  uint64_t expected = 0;
  TypeParam::ColumnsType::for_each_column([&](auto column) {
    const auto& values = columns.*column;
    using Values = std::decay_t<decltype(values)>;
    if constexpr (requires { typename Values::narrow_type; }) {
      expected += 3 * sizeof(typename Values::narrow_type);
    } else {
      expected += 3 * sizeof(typename Values::value_type);
    }
  });
  EXPECT_EQ(columns.row_bytes(), expected);
  auto reserved = typename TypeParam::ColumnsType();
  reserved.reserve(100);
  EXPECT_EQ(reserved.row_bytes(), 0U);
  TypeParam::ColumnsType::for_each_read_column(
      [&](auto column, auto) { EXPECT_GE((reserved.*column).capacity(), 100U); });
}

/// A column that is in the class but not in its list is forgotten by all of the above: the sizes tell.
TEST(ColumnLists, AreComplete) {
  size_t slices = 0;
  size_t ops = 0;
  Slices::for_each_column([&](auto column) { slices += sizeof(std::declval<Slices&>().*column); });
  DeviceOps::for_each_column([&](auto column) { ops += sizeof(std::declval<DeviceOps&>().*column); });
  EXPECT_EQ(slices, sizeof(Slices));
  EXPECT_EQ(ops, sizeof(DeviceOps));
}

TEST(Timeline, KindsAreThoseOfTheCategories) {
  Timeline timeline;
  timeline.categories = {{"op", SliceKind::framework_op}, {"kernel", SliceKind::kernel}, {"Kernel", SliceKind::kernel}};
  for (const int category : {2, 0, 1, 0}) timeline.slices.append({.category = static_cast<uint16_t>(category)});
  const SliceKinds kinds = timeline.kinds();
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) EXPECT_EQ(kinds[slice], timeline.kind(slice));
}

TEST(Timeline, ASliceSaysNothingThatTheProfileDoesNot) {
  const Slice slice;
  EXPECT_EQ(slice.correlation, kNoCorrelation);
  EXPECT_EQ(slice.source, kNoSource);
  Timeline timeline;
  timeline.slices.append(slice);
  timeline.device_ops.append(DeviceOp{});
  EXPECT_EQ(timeline.device_ops.bytes[0], -1);
  EXPECT_EQ(timeline.bytes(), timeline.slices.row_bytes() + timeline.device_ops.row_bytes());
  EXPECT_EQ(timeline.slices.row_bytes(), 31U);
}

}  // namespace
}  // namespace cgpu
