#include <gtest/gtest.h>

#include "analysis/test_timeline.h"
#include "report/report.h"

namespace cgpu {
namespace {

/// Two ranks that meet ten times; the second comes later by `late` than the first.
Session two_ranks(int64_t late) {
  TestRun ranks[] = {TestRun(0), TestRun(1)};
  for (int64_t rank : {0, 1}) {
    ranks[rank].run.clock_is_unix = true;
    for (int64_t i = 0; i < 10; ++i) {
      const int64_t start = 10'000 * i + rank * late;
      ranks[rank].kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", start, 10'000 * i + 9'000 - start,
                         {0, 20, OpKind::communication, KernelClass::collective, kNone});
    }
  }
  return session_of(ranks[0], ranks[1]);
}

bool says(const Report& report, const std::string& text) {
  for (const std::string& line : report.headline) {
    if (line.find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(ReportStragglers, TheHeadlineNamesTheLateRank) {
  const Report report = make_report(two_ranks(3000));
  EXPECT_TRUE(says(report, "Rank 1, device 0 comes late: of 30.0 us"));
  ASSERT_NE(report.find("stragglers"), nullptr);
  for (const Section& section : report.sections) {
    if (section.table.name == "stragglers") {
      EXPECT_EQ(section.summary,
                "Rank 1, device 0 began 10 of its 10 collectives last; the others waited 30.0 us for it, 100.0% of all "
                "waiting for the last one.");
    }
  }
}

TEST(ReportStragglers, NobodyIsNamedForTrifles) {
  EXPECT_FALSE(says(make_report(two_ranks(10)), "comes late"));
  EXPECT_FALSE(says(make_report(two_ranks(0)), "comes late"));
}

}  // namespace
}  // namespace cgpu
