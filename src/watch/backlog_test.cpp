#include "watch/backlog.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

using namespace std::chrono_literals;

TEST(Backlog, SaysOnceThatItFallsBehindAndOnceThatItHasCaughtUp) {
  Backlog backlog(10s);
  EXPECT_EQ(backlog.update(100, 50s), "");  // not for long yet
  EXPECT_EQ(backlog.update(3, 1h), "");     // not many
  EXPECT_EQ(backlog.update(4, 51s), "falls behind: 4 runs wait, the first for 51.000 s");
  EXPECT_EQ(backlog.update(100, 1h), "");
  EXPECT_EQ(backlog.update(2, 1s), "");
  EXPECT_EQ(backlog.update(1, 1s), "has caught up");
  EXPECT_EQ(backlog.update(0, 0s), "");
  EXPECT_NE(backlog.update(4, 51s), "");
}

}  // namespace
}  // namespace cgpu
