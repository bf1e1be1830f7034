#include "table/filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>

#include "base/error.h"
#include "table/units.h"

namespace cgpu {
namespace {

Table kernels_of_ranks() {
  Table table("kernels", "");
  table.columns = {{"name", ColumnType::text, "", ""},
                   {"total_ns", ColumnType::integer, "ns", ""},
                   {"mean_bytes", ColumnType::real, "bytes", ""},
                   {"pct", ColumnType::real, "%", ""},
                   {"rank", ColumnType::integer, "", ""},
                   {"bandwidth", ColumnType::real, "GB/s", ""}};
  table.append({"void gemm<float>", int64_t{2000000}, 1024.0, 60.5, int64_t{0}, 12.5});
  table.append({"copy and set", int64_t{999999}, 1000.0, 39.5, int64_t{1}, 900.0});
  table.append({"it's \"quoted\"", int64_t{1000000}, 0.5, 0.1, int64_t{0}, 3.0});
  table.append({"", {}, {}, {}, int64_t{7}, {}});
  return table;
}

/// The names of the rows that are left.
std::vector<std::string> names(const std::string& expression) {
  Table table = kernels_of_ranks();
  Filter::parse(expression).apply(table);
  std::vector<std::string> out;
  for (const RowView row : table.rows()) out.push_back(std::get<std::string>(row[0]));
  return out;
}

std::string error_of(const std::string& expression) {
  try {
    names(expression);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

using Names = std::vector<std::string>;
const std::string kGemm = "void gemm<float>";
const std::string kCopy = "copy and set";
const std::string kQuoted = "it's \"quoted\"";

TEST(Filter, NumbersWithAndWithoutUnits) {
  EXPECT_EQ(names("total_ns > 1ms"), Names{kGemm});
  EXPECT_EQ(names("total_ns>=1 ms"), (Names{kGemm, kQuoted}));
  EXPECT_EQ(names("total_ns < 0.001s"), Names{kCopy});
  EXPECT_EQ(names("total_ns = 999.999us"), Names{kCopy});
  EXPECT_EQ(names("total_ns == 1e6"), Names{kQuoted});
  EXPECT_EQ(names("mean_bytes = 1KiB"), Names{kGemm});
  EXPECT_EQ(names("mean_bytes = 1KB"), Names{kCopy});
  EXPECT_EQ(names("mean_bytes < 1 B"), Names{kQuoted});
  EXPECT_EQ(names("pct > 39.5%"), Names{kGemm});
  EXPECT_EQ(names("pct >= '39.5'"), (Names{kGemm, kCopy}));
  EXPECT_EQ(names("bandwidth > 10 GB/s"), (Names{kGemm, kCopy}));
  EXPECT_EQ(names("rank != 0"), (Names{kCopy, ""}));
  EXPECT_EQ(names("rank > -1 and rank < +1"), (Names{kGemm, kQuoted}));
}

TEST(Filter, Texts) {
  EXPECT_EQ(names("name ~ ^void"), Names{kGemm});
  EXPECT_EQ(names("name !~ o"), Names{""});
  EXPECT_EQ(names("name = 'copy and set'"), Names{kCopy});
  EXPECT_EQ(names("name = \"it's \"\"quoted\"\"\""), Names{kQuoted});
  EXPECT_EQ(names("name = ''"), Names{""});
  EXPECT_EQ(names("name = void gemm<float> AND rank = 0"), Names{kGemm});
  EXPECT_EQ(names("name < d and name >= c"), Names{kCopy});
  EXPECT_EQ(names("\"name\" ~ 'gemm|copy' and total_ns > 1us and rank=1"), Names{kCopy});
}

TEST(Filter, AbsentMeetsNoCondition) {
  for (const std::string op : {"=", "!=", "<", "<=", ">", ">="}) {
    for (const std::string& name : names("total_ns " + op + " 5")) EXPECT_NE(name, "");
  }
}

TEST(Filter, ErrorsSayWhatAndWhere) {
  EXPECT_EQ(error_of("speed > 1"),
            "table kernels has no column 'speed' (it has: name, total_ns, mean_bytes, pct, rank, bandwidth)");
  EXPECT_EQ(error_of("total_ns > fast"),
            "--where: column total_ns holds numbers, but 'fast' is not a number at position 12");
  EXPECT_EQ(error_of("total_ns > 1KiB"),
            "--where: column total_ns is in ns, which 'KiB' cannot be converted to at position 12");
  EXPECT_EQ(error_of("rank > 1ms"),
            "--where: column rank is in no unit, which 'ms' cannot be converted to at position 8");
  EXPECT_EQ(error_of("rank ~ 1"), "--where: column rank holds numbers, which ~ does not match at position 8");
  EXPECT_EQ(error_of("name ~ (x"), "--where: bad regular expression (missing ): (x) at position 8");
  EXPECT_EQ(error_of("name = 'x"), "--where: a quote is not closed at position 8");
  EXPECT_EQ(error_of("name 'x'"), "--where: expected one of = != < <= > >= ~ !~ in at position 6");
  EXPECT_EQ(error_of(""), "--where: expected the name of a column at position 1");
  EXPECT_EQ(error_of("rank = 0 and "), "--where: expected the name of a column at position 14");
  EXPECT_EQ(error_of("rank = and rank = 1"), "--where: expected a value (quote it where it is empty) at position 8");
  EXPECT_EQ(error_of("name = 'x' rank = 1"), "--where: expected 'and' or 'or' at position 12");
  EXPECT_EQ(error_of("total_ns > 1.2.3"),
            "--where: column total_ns holds numbers, but '1.2.3' is not a number at position 12");
}

TEST(Filter, OrNotInAndBrackets) {
  EXPECT_EQ(names("rank = 7 or total_ns > 1ms"), (Names{kGemm, ""}));
  EXPECT_EQ(names("rank = 7 or rank = 0 and total_ns = 1ms"), (Names{kQuoted, ""})) << "and binds before or";
  EXPECT_EQ(names("(rank = 7 or rank = 0) and total_ns > 1ms"), Names{kGemm});
  EXPECT_EQ(names("((name ~ (void|copy)) OR rank = 7) AND NOT rank = 1"), (Names{kGemm, ""}));
  EXPECT_EQ(names("not rank = 0"), (Names{kCopy, ""}));
  EXPECT_EQ(names("not not rank = 0"), (Names{kGemm, kQuoted}));
  EXPECT_EQ(names("not (rank = 0 or rank = 1)"), Names{""});
  EXPECT_EQ(names("not(rank=0)and not(rank=7)"), Names{kCopy});
  EXPECT_EQ(names("rank in (1, 7)"), (Names{kCopy, ""}));
  EXPECT_EQ(names("rank not in (1, 7) or total_ns in (999.999us)"), (Names{kGemm, kCopy, kQuoted}));
  EXPECT_EQ(names("name in (void gemm<float>, 'copy and set')"), (Names{kGemm, kCopy}));
  EXPECT_EQ(names("total_ns not in (1ms)"), (Names{kGemm, kCopy})) << "absent is in neither";
  EXPECT_EQ(names("not total_ns in (1ms)"), (Names{kGemm, kCopy, ""}));
  EXPECT_EQ(names("rank = 0 and (name = f(int, g(x)) or rank = 0)"), (Names{kGemm, kQuoted}));
  EXPECT_EQ(error_of("rank = 0 or"), "--where: expected the name of a column at position 12");
  EXPECT_EQ(error_of("(rank = 0"), "--where: a bracket is not closed at position 1");
  EXPECT_EQ(error_of("rank in 1, 2"), "--where: expected values in round brackets after 'in' at position 9");
  EXPECT_EQ(error_of("rank in (1, 2"), "--where: a bracket is not closed at position 9");
  EXPECT_EQ(error_of("rank in ()"), "--where: expected a value (quote it where it is empty) at position 10");
  EXPECT_EQ(error_of("rank not = 1"), "--where: expected 'in' after 'not' at position 10");
  EXPECT_EQ(error_of("rank = 1 )"),
            "--where: column rank is in no unit, which ')' cannot be converted to at position 8");
  EXPECT_EQ(error_of(std::string(1000, '(')), "--where: too many brackets or 'not' at position 102");
}

/// Random expressions agree with their meaning, evaluated row by row.
TEST(Filter, AgreesWithItsMeaning) {
  std::mt19937_64 random(7);
  Table table("t", "");
  table.columns = {{"a", ColumnType::integer, "", ""}};
  for (int64_t i = 0; i < 40; ++i) table.append({i % 7 == 3 ? Cell() : Cell(i % 10)});
  using Meaning = std::function<bool(std::optional<int64_t>)>;
  const std::function<std::pair<std::string, Meaning>(int)> make = [&](int depth) -> std::pair<std::string, Meaning> {
    const auto kind = depth == 0 ? 0 : random() % 4;
    if (kind == 0) {
      const auto value = static_cast<int64_t>(random() % 10);
      return {"a < " + std::to_string(value), [=](auto cell) { return cell && *cell < value; }};
    }
    const auto first = make(depth - 1);
    if (kind == 1) return {"not (" + first.first + ")", [=](auto cell) { return !first.second(cell); }};
    const auto second = make(depth - 1);
    const bool both = kind == 2;
    return {"(" + first.first + ")" + (both ? " and " : " or ") + "(" + second.first + ")", [=](auto cell) {
              return both ? first.second(cell) && second.second(cell) : first.second(cell) || second.second(cell);
            }};
  };
  for (int i = 0; i < 300; ++i) {
    const auto [text, meaning] = make(4);
    std::vector<uint32_t> expected;
    for (uint32_t row = 0; row < table.row_count(); ++row) {
      const ColumnValues& values = table.values(0);
      const auto cell = values.is_absent(row) ? std::nullopt : std::optional(values.integers()[row]);
      if (meaning(cell)) expected.push_back(row);
    }
    EXPECT_EQ(Filter::parse(text).matches(table), expected) << text;
  }
}

TEST(Filter, SaysWhichTextsThereAre) {
  const auto said = [](const std::string& expression) {
    return Filter::parse(expression).unknown_text(kernels_of_ranks()).value_or("nothing");
  };
  EXPECT_EQ(said("name = 'copy and set' or rank = 9"), "nothing");
  EXPECT_EQ(said("rank = 0 and name in (cpy, 'copy and set')"),
            "--where: no row has the name 'cpy'; there are , copy and set, it's \"quoted\", void gemm<float>");
}

TEST(Filter, AFailedConditionLeavesTheTableAlone) {
  Table table = kernels_of_ranks();
  EXPECT_THROW(Filter::parse("rank = 0 and nothing = 1").apply(table), Error);
  EXPECT_EQ(table.row_count(), 4u);
}

/// Rows of `values` that meet "v OP text", in a column of nanoseconds.
size_t count(const std::vector<int64_t>& values, const std::string& condition) {
  Table table("t", "", {{"v", ColumnType::integer, "ns", ""}});
  for (const int64_t value : values) table.append({value});
  Filter::parse(condition).apply(table);
  return table.row_count();
}

TEST(Filter, IntegersAreComparedExactly) {
  constexpr int64_t max = std::numeric_limits<int64_t>::max();
  constexpr int64_t min = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(count({max - 1, max}, "v = 9223372036854775807"), 1u);
  EXPECT_EQ(count({max - 1, max}, "v > 9223372036854775806"), 1u);
  EXPECT_EQ(count({max - 1, max}, "v > 9223372036854775806.5"), 1u);
  EXPECT_EQ(count({max - 1, max}, "v < 9223372036854775807.00000000000000000000000000001"), 2u);
  EXPECT_EQ(count({min, max}, "v < 1e30"), 2u);
  EXPECT_EQ(count({min, max}, "v > -1e99999"), 2u);
  EXPECT_EQ(count({min, min + 1}, "v <= -9223372036854775808"), 1u);
  EXPECT_EQ(count({-1, 0, 1}, "v < -0.5"), 1u);
  EXPECT_EQ(count({-1, 0, 1}, "v >= -1e-99999"), 2u);
  EXPECT_EQ(count({-1, 0, 1}, "v > 0.0000000000000000000000000000000000000000001 s"), 1u);
  EXPECT_EQ(count({1700000000000000001, 1700000000000000000}, "v = 1700000000.000000001s"), 1u);
}

TEST(Filter, AgreesWithPlainComparisonInEveryUnit) {
  std::mt19937_64 random(7);
  const std::pair<const char*, int64_t> units[] = {
      {"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
  for (int round = 0; round < 2000; ++round) {
    const auto& [unit, factor] = units[random() % std::size(units)];
    const auto value = static_cast<int64_t>(random() % 4000) - 2000;
    const int64_t cell = value * factor + static_cast<int64_t>(random() % 3) - 1;
    const std::string text = std::to_string(value) + unit;
    EXPECT_EQ(count({cell}, "v < " + text), size_t{cell < value * factor}) << cell << " " << text;
    EXPECT_EQ(count({cell}, "v >= " + text), size_t{cell >= value * factor}) << cell << " " << text;
    EXPECT_EQ(count({cell}, "v != " + text), size_t{cell != value * factor}) << cell << " " << text;
  }
}

TEST(Filter, ColumnsInLargerUnits) {
  Table table("t", "", {{"v", ColumnType::real, "KiB", ""}});
  table.append({1.0});
  table.append({1.5});
  Filter::parse("v = 1536 B").apply(table);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(std::get<double>(table.cell(0, 0)), 1.5);
}

std::vector<std::string> sorted(std::vector<Cell> cells, ColumnType type, const std::string& by) {
  Table table("t", "", {{"v", type, "", ""}, {"at", ColumnType::integer, "", ""}});
  int64_t at = 0;
  for (Cell& cell : cells) table.append({std::move(cell), at++});
  sort_rows(table, by);
  std::vector<std::string> out;
  for (const RowView row : table.rows()) out.push_back(exact_cell(row[0]) + "@" + exact_cell(row[1]));
  return out;
}

TEST(Sort, DirectionStabilityAndAbsentLast) {
  const std::vector<Cell> numbers = {int64_t{2}, {}, int64_t{3}, 2.0, std::nan(""), int64_t{1}};
  EXPECT_EQ(sorted(numbers, ColumnType::real, "v"), (Names{"3@2", "2@0", "2@3", "1@5", "@1", "@4"}));
  EXPECT_EQ(sorted(numbers, ColumnType::real, "-v"), (Names{"3@2", "2@0", "2@3", "1@5", "@1", "@4"}));
  EXPECT_EQ(sorted(numbers, ColumnType::real, "+v"), (Names{"1@5", "2@0", "2@3", "3@2", "@1", "@4"}));
  const std::vector<Cell> texts = {"b", {}, "a", "b"};
  EXPECT_EQ(sorted(texts, ColumnType::text, "v"), (Names{"a@2", "b@0", "b@3", "@1"}));
  EXPECT_EQ(sorted(texts, ColumnType::text, "-v"), (Names{"b@0", "b@3", "a@2", "@1"}));
}

TEST(Sort, ATableSaysWhatItIsSortedBy) {
  Table table = kernels_of_ranks();
  EXPECT_EQ(table.sorted_by, "");
  sort_rows(table, "total_ns");
  EXPECT_EQ(table.sorted_by, "-total_ns");
  take_top(table, 3);
  EXPECT_EQ(table.sorted_by, "-total_ns") << "the first rows are in the same order";
  Table other = table;
  sort_rows(other, "name");
  EXPECT_EQ(other.sorted_by, "+name");
  other.take({1, 0});
  EXPECT_EQ(other.sorted_by, "");
  other = table;
  other.append_all(table);
  EXPECT_EQ(other.sorted_by, "");
  other = table;
  other.erase_column(table.column("total_ns"));
  EXPECT_EQ(other.sorted_by, "");
}

TEST(Sort, LargeIntegersAreOrderedExactly) {
  const int64_t big = (int64_t{1} << 60) + 1;
  EXPECT_EQ(sorted({big, big + 1, big - 1}, ColumnType::integer, "+v"),
            (Names{"1152921504606846976@2", "1152921504606846977@0", "1152921504606846978@1"}));
}

TEST(Sort, UnknownColumnAndTop) {
  Table table = kernels_of_ranks();
  EXPECT_THROW(sort_rows(table, "-nothing"), Error);
  take_top(table, 0);
  EXPECT_EQ(table.row_count(), 4u);
  take_top(table, 9);
  EXPECT_EQ(table.row_count(), 4u);
  take_top(table, 2);
  EXPECT_EQ(table.row_count(), 2u);
}

TEST(Sort, TheFirstRowsAreThoseOfAll) {
  std::mt19937_64 random(3);
  for (const ColumnType type : {ColumnType::integer, ColumnType::real, ColumnType::text}) {
    for (int round = 0; round < 200; ++round) {
      ColumnValues values(type);
      for (size_t row = random() % 40; row > 0; --row) {
        const auto value = static_cast<int64_t>(random() % 9);
        if (value == 0) {
          values.append_absent();
        } else if (type == ColumnType::text) {
          values.append(std::string_view("abcdefghi").substr(static_cast<size_t>(value), 1));
        } else {
          values.append(value);
        }
      }
      for (const bool descending : {false, true}) {
        const std::vector<uint32_t> all = sorted_rows(values, descending);
        for (size_t i = 1; i < all.size(); ++i) {
          const bool absent = values.is_absent(all[i]);
          EXPECT_LE(values.is_absent(all[i - 1]), absent);
          if (absent != values.is_absent(all[i - 1])) continue;
          const auto order = values.compare(all[i - 1], all[i]);
          if (!absent) {
            EXPECT_TRUE(descending ? order >= 0 : order <= 0);
          }
          if (order == 0) {
            EXPECT_LT(all[i - 1], all[i]) << "equal ones keep their order";
          }
        }
        for (size_t top = 1; top < all.size() + 2; ++top) {
          const std::vector<uint32_t> first = sorted_rows(values, descending, top);
          EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin(),
                                 all.begin() + static_cast<std::ptrdiff_t>(std::min(top, all.size()))));
        }
      }
    }
  }
}

TEST(BatchFilter, BatchesWithAndWithoutACommonDictionary) {
  const Table table("t", "", {{"n", ColumnType::integer, "", ""}, {"name", ColumnType::text, "", ""}});
  const Filter filter = Filter::parse("name ~ ^a and n < 3 and name != ab");
  BatchFilter batches(filter, table);
  EXPECT_EQ(batches.columns(), (std::vector<size_t>{1, 0})) << "each once, in the order of the conditions";
  const auto check = [&](const ColumnValues& names) {
    ColumnValues numbers(ColumnType::integer);
    for (size_t row = 0; row < names.size(); ++row) numbers.append(static_cast<int64_t>(row % 4));
    std::vector<uint32_t> expected;
    for (uint32_t row = 0; row < names.size(); ++row) {
      if (!names.is_absent(row) && names.text(row).starts_with("a") && names.text(row) != "ab" && row % 4 < 3) {
        expected.push_back(row);
      }
    }
    EXPECT_EQ(batches.matches(names.size(), {&names, &numbers}), expected);
  };
  const auto shared = std::make_shared<TextDictionary>();
  for (const char* text : {"b", "a", "ab", "abc"}) shared->code(text);
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    ColumnValues names(ColumnType::text);
    if (round % 3 == 0) {
      for (const char* text : {"abc", "ab", "x", "a", "ba", "a"}) names.append(std::string_view(text));
    } else {
      std::vector<int32_t> codes;
      for (int row = 0; row < 30; ++row) codes.push_back(static_cast<int32_t>(random() % 5) - 1);
      names.append_codes(shared, codes);
    }
    check(names);
  }
}

}  // namespace
}  // namespace cgpu
