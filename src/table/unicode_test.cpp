#include "table/unicode.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

TEST(Unicode, EveryCodePointReadsBack) {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, point);
    std::string_view rest = text;
    ASSERT_EQ(take_code_point(rest), point);
    ASSERT_TRUE(rest.empty());
  }
}

TEST(Unicode, BrokenSequencesAreReplacedPartByPart) {
  const std::string bad = "\uFFFD";
  EXPECT_EQ(printable("a\xFF"
                      "b"),
            "a" + bad + "b");
  EXPECT_EQ(printable("\xC0\xAF"), bad + bad);            // overlong
  EXPECT_EQ(printable("\xE0\x80\x80"), bad + bad + bad);  // overlong
  EXPECT_EQ(printable("\xED\xA0\x80"), bad + bad + bad);  // surrogate
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), bad + bad + bad + bad);
  EXPECT_EQ(printable("\xE2\x82"
                      "x"),
            bad + "x");  // cut short
  EXPECT_EQ(printable("\xF0\x9F\x98"), bad);
}

TEST(Unicode, InvisibleCharactersBecomeVisible) {
  EXPECT_EQ(printable(std::string_view("\0\t\n\r\x1b\x7f", 6)), "\\x00\\t\\n\\r\\x1b\\x7f");
  EXPECT_EQ(printable("\u0085\u200b\u202e\ufeff\U000e0041"), "\\u0085\\u200b\\u202e\\ufeff\\U000e0041");
  EXPECT_EQ(printable("C:\\n \u00e9 \u4e2d"), "C:\\n \u00e9 \u4e2d");
}

TEST(Unicode, TheShortWayEqualsTheLongOne) {
  for (char32_t point = 0; point < 0x100; ++point) {
    std::string text;
    append_utf8(text, point);
    EXPECT_EQ(is_printable_ascii(text), point < 0x80 && printable(text + "\u00e9") == text + "\u00e9") << text;
  }
}

TEST(Unicode, Width) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("\u00e9\u03b1"), 2u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("\u4e2d\u6587\uff21\uac00"), 8u);
  EXPECT_EQ(display_width("\U0001f680"), 2u);
  EXPECT_EQ(display_width("\uFFFD"), 1u);
  EXPECT_EQ(display_width("\u0e01\u0e35\u05d0\u05b0\u0baf\u0bcd"), 3u);  // marks of Thai, Hebrew and Tamil
  EXPECT_EQ(display_width("\u0915\u093e"), 2u);                          // a vowel sign beside its consonant
}

TEST(Unicode, ShortenKeepsHeadAndTail) {
  EXPECT_EQ(shorten("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shorten("abcdefghij", 9), "abc...hij");
  EXPECT_EQ(shorten("abcdefghij", 8), "abc...ij");
  EXPECT_EQ(shorten("abcdefghij", 5), "a...j");
  EXPECT_EQ(shorten("abcdefghij", 4), "abcd");
  EXPECT_EQ(shorten("abcdefghij", 0), "");
  EXPECT_EQ(shorten("\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d", 8), "\u4e2d...\u4e2d");
  EXPECT_EQ(shorten("abcdefe\u0301gh", 7), "ab...gh");
}

}  // namespace
}  // namespace cgpu
