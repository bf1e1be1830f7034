// Searching and ordering rows against the slow ways: looking at every row, std::stable_sort.
#include "sql/row_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sql/row_order.h"

namespace cgpu {
namespace {

enum : size_t { kTime, kNumber, kReal, kName };

/// More than three blocks of rows with absent values; times rise, but for some.
Table random_table() {
  std::mt19937_64 random(7);
  const std::vector<std::string> names = {"", "a", "B", "gemm", "gemm2", "\xff", "copy"};
  const std::vector<int64_t> numbers = {INT64_MIN, INT64_MAX, -1, 0, 1, 4711, int64_t{1} << 40};
  const std::vector<double> reals = {-0.0, 0.0, -1e300, 1e300, 0.1, -0.1};
  Table table("random", "");
  for (const auto& [name, type] : std::vector<std::pair<std::string, ColumnType>>{{"time", ColumnType::integer},
                                                                                  {"number", ColumnType::integer},
                                                                                  {"real", ColumnType::real},
                                                                                  {"name", ColumnType::text}}) {
    table.columns.push_back({name, type, "", ""});
  }
  for (int64_t row = 0; row < 200'000; ++row) {
    const auto absent = [&] { return random() % 9 == 0; };
    const auto jitter = static_cast<int64_t>(random() % 50);
    table.append({absent() ? Cell() : Cell(row * 10 + (random() % 100 == 0 ? -jitter * 1000 : jitter)),
                  absent() ? Cell() : Cell(numbers[random() % numbers.size()]),
                  absent() ? Cell() : Cell(reals[random() % reals.size()]),
                  absent() ? Cell() : Cell(names[random() % names.size()])});
  }
  return table;
}

std::vector<uint32_t> all_rows(const Table& table) {
  std::vector<uint32_t> rows(table.row_count());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

bool meets(const Table& table, const RowCondition& condition, uint32_t row) {
  const ColumnValues& values = table.values(condition.column);
  if (values.is_absent(row)) return false;
  if (values.type() == ColumnType::text) return values.text(row) == condition.text;
  return condition.low <= values.integer(row) && values.integer(row) <= condition.high;
}

TEST(RowOrder, IsThatOfAStableSort) {
  const Table table = random_table();
  const auto source = rows_of_table(table);
  const std::vector<std::vector<OrderTerm>> orders = {{{kTime}},
                                                      {{kNumber}},
                                                      {{kNumber, true}},
                                                      {{kReal}},
                                                      {{kReal, true}},
                                                      {{kName}},
                                                      {{kName, true}, {kTime, true}},
                                                      {{kNumber}, {kName}, {kReal, true}}};
  for (const std::vector<OrderTerm>& terms : orders) {
    std::vector<uint32_t> want = all_rows(table);
    std::stable_sort(want.begin(), want.end(), [&](uint32_t a, uint32_t b) {
      for (const OrderTerm& term : terms) {
        const auto order = table.values(term.column).compare(a, b);
        if (order != 0) return term.descending ? order > 0 : order < 0;
      }
      return false;
    });
    std::vector<uint32_t> rows = all_rows(table);
    order_rows(*source, terms, false, rows);
    EXPECT_EQ(rows, want) << terms.front().column << terms.size();
  }
}

TEST(RowOrder, PutsEqualRowsTogether) {
  const Table table = random_table();
  const auto source = rows_of_table(table);
  std::vector<uint32_t> rows = all_rows(table);
  order_rows(*source, {{kName}, {kNumber}}, true, rows);
  size_t groups = 1;
  std::set<std::pair<std::string, std::string>> different;
  const auto key = [&](uint32_t row) {
    const auto text = [&](size_t column) {
      const Cell cell = table.cell(row, column);
      if (const auto* number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
      const auto* name = std::get_if<std::string>(&cell);
      return name == nullptr ? "absent" : "'" + *name;
    };
    return std::pair(text(kName), text(kNumber));
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    different.insert(key(rows[i]));
    if (i > 0 && key(rows[i]) != key(rows[i - 1])) ++groups;
  }
  EXPECT_EQ(groups, different.size());
}

TEST(RowSearch, FindsWhatLookingAtEveryRowFinds) {
  const Table table = random_table();
  RowSearch search(rows_of_table(table));
  const std::vector<std::vector<RowCondition>> all_conditions = {
      {{.column = kTime, .low = 700'000, .high = 710'000}},
      {{.column = kTime, .low = 1'999'990}},
      {{.column = kTime, .low = 5, .high = 4}},
      {{.column = kNumber, .low = 4711, .high = 4711}},
      {{.column = kNumber, .low = INT64_MIN, .high = INT64_MIN}},
      {{.column = kNumber, .low = INT64_MAX}, {.column = kName, .text = "gemm"}},
      {{.column = kName, .text = ""}},
      {{.column = kName, .text = "nothing"}},
      {{.column = kNumber, .low = 5, .high = 5}},
      {{.column = kName, .text = "copy"}, {.column = kTime, .low = 0, .high = 1000}}};
  for (const int time : {1, 2, 3}) {  // the second time rows are found by looking them up
    for (const std::vector<RowCondition>& conditions : all_conditions) {
      std::vector<uint32_t> want;
      for (const uint32_t row : all_rows(table)) {
        if (std::all_of(conditions.begin(), conditions.end(),
                        [&](const RowCondition& condition) { return meets(table, condition, row); })) {
          want.push_back(row);
        }
      }
      std::vector<uint32_t> by_blocks;
      for (size_t first = 0; first < table.row_count(); first += kRowBlock) {
        if (!search.may_hold(first / kRowBlock, conditions)) continue;
        std::vector<uint32_t> rows(std::min(kRowBlock, table.row_count() - first));
        std::iota(rows.begin(), rows.end(), static_cast<uint32_t>(first));
        rows = search.matching(conditions, std::move(rows));
        by_blocks.insert(by_blocks.end(), rows.begin(), rows.end());
      }
      EXPECT_EQ(by_blocks, want) << conditions.front().column;

      std::optional<std::vector<uint32_t>> found = search.looked_up(conditions);
      const bool has_single_value = conditions.front().column != kTime && conditions.front().low != INT64_MAX;
      EXPECT_TRUE(found || time == 1 || !has_single_value) << conditions.front().column;
      if (!found) continue;
      std::sort(found->begin(), found->end());
      EXPECT_EQ(search.matching(conditions, *found), want) << conditions.front().column;
    }
  }
}

TEST(RowSearch, LeavesOutBlocksThatCannotMeetACondition) {
  const Table table = random_table();
  RowSearch search(rows_of_table(table));
  const std::vector<RowCondition> at_the_end = {{.column = kTime, .low = 1'990'000}};
  EXPECT_FALSE(search.may_hold(0, at_the_end));
  EXPECT_TRUE(search.may_hold(3, at_the_end));
}

}  // namespace
}  // namespace cgpu
