#include "base/error.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

TEST(Error, IsOneLineWithoutControlCharacters) {
  EXPECT_STREQ(Error("a\nb\x1b[31mc.json", "no such\tfile\x7f").what(), "a b?[31mc.json: no such file?");
  EXPECT_STREQ(Error("\xc2\x9b"
                     "2J \xc3\xa9 \xc2\xb5s \xc2")
                   .what(),
               "?2J \xc3\xa9 \xc2\xb5s \xc2");
}

}  // namespace
}  // namespace cgpu
