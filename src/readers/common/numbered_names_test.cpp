#include "readers/common/numbered_names.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace cgpu {
namespace {

TEST(NumberedNames, AreThoseOfOneEnumerationFromTheNumberOfEachLineOn) {
  constexpr std::string_view kRules =
      "# calls\n"
      "call 1 first, second\n"
      "other 0 zero\n"
      "call 0x10 sixteenth,seventeenth\n";
  const NumberedNames calls(kRules, "call");
  EXPECT_EQ(calls.at(0), "");
  EXPECT_EQ(calls.at(1), "first");
  EXPECT_EQ(calls.at(2), "second");
  EXPECT_EQ(calls.at(3), "");
  EXPECT_EQ(calls.at(17), "seventeenth");
  EXPECT_EQ(calls.at(UINT64_MAX), "");
  EXPECT_EQ(NumberedNames(kRules, "other").at(0), "zero");
}

TEST(NumberedNames, RefuseALineWhoseNamesWouldBeShifted) {
  EXPECT_THROW(NumberedNames("call 1 first, second\ncall 2 third\n", "call"), Error);
  EXPECT_THROW(NumberedNames("call 0x1g first\n", "call"), Error);
  EXPECT_THROW(NumberedNames("call first\n", "call"), Error);
}

}  // namespace
}  // namespace cgpu
