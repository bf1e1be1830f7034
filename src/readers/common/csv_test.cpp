#include "readers/common/csv.h"

#include <gtest/gtest.h>

#include "base/test_file.h"

namespace cgpu {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Parsed {
  Rows rows;
  std::vector<int64_t> lines;
  bool unfinished = false;
};

Parsed parse(std::string_view text) {
  const test::TestFile file(text, ".csv");
  const auto source = open_text(file.path());
  CsvReader csv(*source);
  Parsed parsed;
  for (std::vector<std::string> row; csv.next(row);) {
    parsed.rows.push_back(row);
    parsed.lines.push_back(csv.line());
  }
  parsed.unfinished = csv.unfinished();
  return parsed;
}

std::string quote(const std::string& field) {
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

TEST(Csv, PlainAndQuotedFields) {
  EXPECT_EQ(parse("a,b,c\n1,,3\n").rows, (Rows{{"a", "b", "c"}, {"1", "", "3"}}));
  EXPECT_EQ(parse("\"a,1\",\"say \"\"hi\"\"\",\"two\nlines\"\r\nx\n").rows,
            (Rows{{"a,1", "say \"hi\"", "two\nlines"}, {"x"}}));
  EXPECT_EQ(parse("\"\",\"\"\n").rows, (Rows{{"", ""}}));
}

TEST(Csv, RecordsKnowTheirLines) {
  EXPECT_EQ(parse("a\n\n\"b\nb\"\nc\n").lines, (std::vector<int64_t>{1, 3, 5}));
}

TEST(Csv, WhatTheRfcDoesNotSay) {
  EXPECT_EQ(parse("5\" disk,a\"b\"\n").rows, (Rows{{"5\" disk", "a\"b\""}}));
  EXPECT_EQ(parse("\"a\"b,c\n").rows, (Rows{{"ab", "c"}}));
  EXPECT_EQ(parse("a,\n,b\n,\n").rows, (Rows{{"a", ""}, {"", "b"}, {"", ""}}));
  EXPECT_EQ(parse("a\rb\n").rows, (Rows{{"a\rb"}}));
  EXPECT_EQ(parse("\n\r\n\n").rows, Rows{});
}

TEST(Csv, ALastRecordWithFewerFieldsThanAllBeforeIsCut) {
  const Parsed cut = parse("a,b,c\n1,2,3\n4,5");
  EXPECT_TRUE(cut.unfinished);
  EXPECT_EQ(cut.rows, (Rows{{"a", "b", "c"}, {"1", "2", "3"}, {"4"}})) << "5 may be a part of a number";
  const Parsed first_field = parse("a,b\n1,2\n3");
  EXPECT_TRUE(first_field.unfinished);
  EXPECT_EQ(first_field.rows.size(), 2U);
  EXPECT_FALSE(parse("a,b,c\n1,2,3\na note\n").unfinished);
  EXPECT_FALSE(parse("a,b,c\n1,2\n3,4").unfinished) << "records of this file have two fields";
  EXPECT_FALSE(parse("a,b\n1,2\n3,4,5").unfinished);
}

TEST(Csv, ARecordWithoutEnd) {
  const Parsed cut = parse("a,b\n\"c,d\n");
  EXPECT_TRUE(cut.unfinished);
  EXPECT_EQ(cut.rows, (Rows{{"a", "b"}, {"c,d\n"}}));
  EXPECT_FALSE(parse("a,\"b\"").unfinished);
}

TEST(Csv, RoundTrip) {
  std::string text;
  Rows rows;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::string> row;
    for (int j = 0; j < 1 + i % 7; ++j) {
      std::string field;
      for (int k = 0; k < (i * 31 + j * 17) % 90; ++k) field += "ab,\"\n\r x"[(i + j * 3 + k * k) % 8];
      row.push_back(field);
    }
    for (size_t j = 0; j < row.size(); ++j) text += (j > 0 ? "," : "") + quote(row[j]);
    text += i % 2 == 0 ? "\n" : "\r\n";
    rows.push_back(row);
  }
  EXPECT_EQ(parse(text).rows, rows);
}

TEST(Csv, LinesBeforeTheHeader) {
  const test::TestFile file("say \"hello\n\"ID\n\"ID\",\"x\"\n1,2\n", ".csv");
  const auto source = open_text(file.path());
  CsvReader csv(*source);
  int skipped = 0;
  while (!csv.continues_with("\"ID\",")) {
    ASSERT_TRUE(csv.skip_line());
    ++skipped;
  }
  EXPECT_EQ(skipped, 2);
  std::vector<std::string> row;
  ASSERT_TRUE(csv.next(row));
  EXPECT_EQ(row, (std::vector<std::string>{"ID", "x"}));
  EXPECT_EQ(csv.line(), 3);
  ASSERT_TRUE(csv.next(row));
  EXPECT_FALSE(csv.next(row));
  EXPECT_FALSE(csv.skip_line());
}

}  // namespace
}  // namespace cgpu
