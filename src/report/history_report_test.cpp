#include "report/history_report.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace cgpu {
namespace {

TEST(HistoryReport, AddressesAreRelativeToThePage) {
  EXPECT_EQ(relative_address("nightly/a.cgpu", ""), "nightly/a.cgpu");
  EXPECT_EQ(relative_address("nightly/a.cgpu", "nightly"), "a.cgpu");
  EXPECT_EQ(relative_address("./nightly/../other/a.cgpu", "nightly/"), "../other/a.cgpu");
  EXPECT_EQ(relative_address("a.cgpu", "pages/of/runs"), "../../../a.cgpu");
  EXPECT_EQ(relative_address("/store/a.cgpu", "/store/pages"), "../a.cgpu");
  EXPECT_EQ(relative_address(std::filesystem::absolute("nightly/a.cgpu").string(), ""), "nightly/a.cgpu");
}

TEST(HistoryReport, AddressesAreNoCode) {
  EXPECT_EQ(relative_address("javascript:alert(1)", ""), "javascript%3Aalert%281%29");
  EXPECT_EQ(relative_address("a b\"<>&'#?%20.cgpu", ""), "a%20b%22%3C%3E%26%27%23%3F%2520.cgpu");
  EXPECT_EQ(relative_address("\xc3\xa4.cgpu", ""), "%C3%A4.cgpu");
}

}  // namespace
}  // namespace cgpu
