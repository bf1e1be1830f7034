// Marks of changes: they follow their text when it is joined and wrapped, and add nothing to it but colours.
#include "table/marked_text.h"

#include <gtest/gtest.h>

#include "table/text.h"

namespace cgpu {
namespace {

TEST(MarkedText, MarksStayWithTheirTextWhenItIsJoinedAndWrapped) {
  const MarkedText text = "A step: 3 ms -> 2 ms, " + MarkedText("-33.3 %", -1) + "; " + MarkedText("new", 1) + " op\n";
  EXPECT_EQ(text.plain(), "A step: 3 ms -> 2 ms, -33.3 %; new op\n");
  EXPECT_EQ(text.coloured(text.plain()), "A step: 3 ms -> 2 ms, \x1b[32m-33.3 %\x1b[0m; \x1b[31mnew\x1b[0m op\n");
  EXPECT_EQ(text.coloured(wrap_indented("A step: 3 ms -> 2 ms, -33.3 %; new op", 21, 4)),
            "A step: 3 ms -> 2 ms,\n    \x1b[32m-33.3 %\x1b[0m; \x1b[31mnew\x1b[0m op\n");
}

TEST(MarkedText, NamesCannotColour) {
  const MarkedText text = MarkedText("red\x1b[31m", 1);
  EXPECT_EQ(text.plain(), "red\\x1b[31m");
  EXPECT_EQ(text.coloured(text.plain()), "\x1b[31mred\\x1b[31m\x1b[0m");
}

}  // namespace
}  // namespace cgpu
