#include "base/json_text.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

TEST(JsonText, ResolvesEscapes) {
  EXPECT_EQ(unescape_json(R"(a\"b\\c\/d\n\t)"), "a\"b\\c/d\n\t");
  EXPECT_EQ(unescape_json(R"(\u0041\u00e9\u20ac)"), "A\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(unescape_json(R"(\ud83d\ude00)"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(unescape_json(R"(\ud83dx)"), "\xef\xbf\xbdx");
  EXPECT_EQ(unescape_json(R"(\q\u12)"), R"(\q\u12)");
  EXPECT_EQ(unescape_json("ends\\"), "ends\\");
}

TEST(JsonText, ReplacesInvalidUtf8) {
  EXPECT_EQ(valid_utf8("ok \xc3\xa9"), "ok \xc3\xa9");
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "a surrogate";
  EXPECT_EQ(valid_utf8("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd") << "cut off";
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd") << "overlong";
}

TEST(JsonText, TrimsAndUnquotes) {
  EXPECT_EQ(trim_json(" \n 1.5\t"), "1.5");
  EXPECT_EQ(unquote_json("\"x\""), "x");
  EXPECT_EQ(unquote_json("\""), "\"");
  EXPECT_EQ(unquote_json("12"), "12");
}

}  // namespace
}  // namespace cgpu
