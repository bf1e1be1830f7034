#include "session/selection/number_list.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace cgpu {
namespace {

TEST(NumberList, HoldsNumbersAndRanges) {
  const NumberList list("0,2,5-7,-3--1", "--rank");
  for (const int64_t number : {0, 2, 5, 6, 7, -3, -2, -1}) EXPECT_TRUE(list.contains(number)) << number;
  for (const int64_t number : {1, 3, 4, 8, -4}) EXPECT_FALSE(list.contains(number)) << number;
  EXPECT_FALSE(list.empty());
  EXPECT_TRUE(NumberList().empty());
  EXPECT_TRUE(NumberList(7).contains(7));
}

TEST(NumberList, CountsUpToALimit) {
  const NumberList list("0,2,5-7,-3--1", "--rank");
  EXPECT_EQ(list.count(100), 8U);
  EXPECT_EQ(list.count(8), 8U);
  EXPECT_EQ(list.count(7), 7U);
  EXPECT_EQ(list.count(0), 0U);
  EXPECT_EQ(NumberList("0-9223372036854775807,-5", "--rank").count(64), 64U);
  EXPECT_EQ(NumberList().count(64), 0U);
}

TEST(NumberList, NamesWhatIsMissing) {
  EXPECT_EQ(NumberList("0,2-4,9", "--rank").range_without({0, 3}), "9");
  EXPECT_EQ(NumberList("0,5-6", "--rank").range_without({0, 3}), "5-6");
  EXPECT_EQ(NumberList("0-9999999999", "--rank").range_without({0, 3}), "");
}

TEST(NumberList, RefusesWhatIsNone) {
  for (const char* text : {"", "x", "1,", ",1", "1,,2", "3-1", "1-", "-", "1.5", "1e400", "0-x"}) {
    try {
      NumberList list(text, "--rank");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("--rank ", 0), 0U) << error.what();
    }
  }
}

}  // namespace
}  // namespace cgpu
