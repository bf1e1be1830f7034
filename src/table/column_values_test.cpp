#include "table/column_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace cgpu {
namespace {

std::vector<Cell> cells_of(const ColumnValues& values) {
  std::vector<Cell> cells;
  for (size_t row = 0; row < values.size(); ++row) cells.push_back(values.cell(row));
  return cells;
}

Cell random_cell(ColumnType type, std::mt19937_64& random) {
  const auto number = static_cast<int64_t>(random() % 6);
  if (number == 0) return {};
  if (type == ColumnType::integer) return number;
  if (type == ColumnType::real) return static_cast<double>(number) / 4;
  return "text " + std::to_string(number);
}

ColumnValues random_values(ColumnType type, std::mt19937_64& random) {
  ColumnValues values(type);
  for (size_t row = random() % 20; row > 0; --row) values.append(random_cell(type, random));
  return values;
}

TEST(ColumnValues, HoldWhatWasAppended) {
  std::mt19937_64 random(1);
  for (const ColumnType type : {ColumnType::integer, ColumnType::real, ColumnType::text}) {
    for (int round = 0; round < 300; ++round) {
      ColumnValues values(type);
      std::vector<Cell> expected;
      for (int part = 0; part < 4; ++part) {
        const ColumnValues more = random_values(type, random);
        for (const Cell& cell : cells_of(more)) expected.push_back(cell);
        values.append_all(more);
        expected.push_back(random_cell(type, random));
        values.append(expected.back());
      }
      ASSERT_EQ(cells_of(values), expected);
      const auto absent = std::count(expected.begin(), expected.end(), Cell());
      EXPECT_EQ(values.absent_count(), static_cast<size_t>(absent));
      EXPECT_EQ(values.present().size(), (expected.size() + 7) / 8);

      std::vector<uint32_t> rows;
      std::vector<Cell> taken;
      for (size_t i = 0; i < expected.size(); ++i) {
        rows.push_back(static_cast<uint32_t>(random() % expected.size()));
        taken.push_back(expected[rows.back()]);
      }
      values.take(rows);
      EXPECT_EQ(cells_of(values), taken);
    }
  }
}

TEST(ColumnValues, ADictionaryIsSharedUntilOneAddsToIt) {
  const auto texts = std::make_shared<TextDictionary>();
  texts->code("a");
  texts->code("b");
  ColumnValues first(ColumnType::text);
  ColumnValues second(ColumnType::text);
  first.append_codes(texts, std::vector<int32_t>{1, -1});
  second.append_codes(texts, std::vector<int32_t>{0});
  ColumnValues both = first;
  both.append_all(second);
  EXPECT_EQ(both.shared_dictionary(), texts);
  first.append(std::string_view("a"));
  EXPECT_EQ(first.shared_dictionary(), texts) << "nothing new";
  first.append(std::string_view("c"));
  EXPECT_NE(first.shared_dictionary(), texts);
  EXPECT_EQ(texts->size(), 2u);
  EXPECT_EQ(cells_of(first), (std::vector<Cell>{"b", {}, "a", "c"}));
  EXPECT_EQ(cells_of(both), (std::vector<Cell>{"b", {}, "a"}));
  second.append_all(first);
  EXPECT_EQ(cells_of(second), (std::vector<Cell>{"a", "b", {}, "a", "c"}));
}

TEST(ColumnValues, RefuseOtherTypes) {
  ColumnValues integers(ColumnType::integer);
  ColumnValues reals(ColumnType::real);
  ColumnValues texts(ColumnType::text);
  reals.append(int64_t{3});
  EXPECT_EQ(reals.cell(0), Cell(3.0));
  reals.append(std::nan(""));
  EXPECT_TRUE(reals.is_absent(1));
  EXPECT_THROW(integers.append(1.5), std::logic_error);
  EXPECT_THROW(integers.append(std::string_view("1")), std::logic_error);
  EXPECT_THROW(texts.append(int64_t{1}), std::logic_error);
  EXPECT_THROW(texts.append_all(integers), std::logic_error);
}

}  // namespace
}  // namespace cgpu
