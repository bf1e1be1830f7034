#include "readers/common/line_reader.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/test_file.h"

namespace cgpu {
namespace {

struct Lines {
  std::vector<std::string> lines;
  int64_t cut = 0;
  bool ended = false;
};

Lines lines_of(const std::string& text) {
  const test::TestFile file(text, ".txt");
  const auto source = open_text(file.path());
  LineReader reader(*source);
  Lines result;
  for (std::string_view line; reader.next(line);) result.lines.emplace_back(line);
  result.cut = reader.cut_lines();
  result.ended = reader.ended();
  return result;
}

TEST(LineReader, TakesLinesApart) {
  const Lines lines = lines_of("a\r\n\nb c\n\r\nlast");
  EXPECT_EQ(lines.lines, (std::vector<std::string>{"a", "", "b c", "", "last"}));
  EXPECT_FALSE(lines.ended);
  EXPECT_TRUE(lines_of("a\n").ended);
}

TEST(LineReader, LinesCrossTheBuffer) {
  std::string text;
  std::vector<std::string> want;
  for (size_t i = 0; i < 3000; ++i) {
    want.push_back(std::string(i % 1000, static_cast<char>('a' + i % 26)));
    text += want.back() + "\n";
  }
  EXPECT_EQ(lines_of(text).lines, want);
}

TEST(LineReader, CutsLongLines) {
  constexpr size_t kMegabyte = size_t{1} << 20;
  const Lines lines = lines_of(std::string(3 * kMegabyte, 'x') + "\nb\n" + std::string(kMegabyte, 'y') + "\n");
  ASSERT_EQ(lines.lines.size(), 3u);
  EXPECT_EQ(lines.lines[0].size(), kMegabyte);
  EXPECT_EQ(lines.lines[1], "b");
  EXPECT_EQ(lines.lines[2].size(), kMegabyte);
  EXPECT_EQ(lines.cut, 1);
}

}  // namespace
}  // namespace cgpu
