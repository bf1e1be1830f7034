#include "analysis/ranks/host_lateness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "links/messages.h"

namespace cgpu {
namespace {

constexpr int64_t kMicrosecond = 1'000;
constexpr size_t kRanksInLine = 4;
const IntervalSet kAlways(std::vector<Interval>{{INT64_MIN / 2, INT64_MAX / 2}});

/// Ranks in a line that exchange messages with their neighbours, then all meet in a collective. Rank 0 computes for
/// 150 us longer than the others: of rank 3, which is no neighbour, only the collective shows it.
Session line(int64_t steps, bool with_collective) {
  std::vector<TestRun> ranks;
  for (size_t rank = 0; rank < kRanksInLine; ++rank) {
    TestRun& one = ranks.emplace_back(static_cast<int64_t>(rank));
    one.run.clock_is_unix = true;
  }
  std::vector<int64_t> now(kRanksInLine, 0);
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<int64_t> sent(kRanksInLine), until(kRanksInLine);
    for (size_t rank = 0; rank < kRanksInLine; ++rank) {
      sent[rank] = now[rank] + (rank == 0 && step > 0 ? 250 : 100) * kMicrosecond;
      ranks[rank].host(SliceKind::annotation, "MPI_Isend", sent[rank], kMicrosecond);
      now[rank] = sent[rank] + kMicrosecond;
    }
    for (size_t rank = 0; rank < kRanksInLine; ++rank) {
      int64_t last = now[rank];
      if (rank > 0) last = std::max(last, sent[rank - 1]);
      if (rank + 1 < kRanksInLine) last = std::max(last, sent[rank + 1]);
      until[rank] = last + 10 * kMicrosecond;
      ranks[rank].host(SliceKind::annotation, "MPI_Waitall", now[rank], until[rank] - now[rank]);
    }
    now = until;
    if (!with_collective) continue;
    const int64_t end = *std::max_element(now.begin(), now.end()) + 5 * kMicrosecond;
    for (size_t rank = 0; rank < kRanksInLine; ++rank) {
      ranks[rank].host(SliceKind::annotation, "MPI_Allreduce", now[rank], end - now[rank]);
      now[rank] = end;
    }
  }
  Session session;
  for (TestRun& rank : ranks) session.runs.push_back(std::move(rank.run));
  return session;
}

TEST(HostLateness, WhoWaitedForASlowRankIsNotLateItself) {
  for (const bool with_collective : {true, false}) {
    const Session session = line(20, with_collective);
    const auto lateness = lateness_of_hosts(session, host_collectives(session), Messages(session, true), kAlways);
    int64_t caused = 0, waited = 0;
    for (const auto& [run, one] : lateness) {
      caused += one.caused_ns;
      waited += one.wait_ns;
    }
    EXPECT_GT(waited, 0);
    EXPECT_EQ(caused, waited) << "all waiting is caused by somebody";
    const auto first = lateness.find({0, -1});
    ASSERT_NE(first, lateness.end());
    EXPECT_GT(first->second.caused_ns, caused * 9 / 10) << with_collective;
    EXPECT_EQ(first->second.wait_ns, 0);
  }
}

TEST(HostLateness, OnlyWaitsThatEndInTheseTimes) {
  const Session session = line(20, true);
  const Messages messages(session, true);
  const auto waited = [&](const IntervalSet& times) {
    int64_t sum = 0;
    for (const auto& [run, one] : lateness_of_hosts(session, host_collectives(session), messages, times)) {
      EXPECT_EQ(run.second, -1);
      sum += one.wait_ns;
    }
    return sum;
  };
  const IntervalSet first(std::vector<Interval>{{0, 2'000 * kMicrosecond}});
  const IntervalSet later(std::vector<Interval>{{2'000 * kMicrosecond + 1, INT64_MAX / 2}});
  EXPECT_GT(waited(first), 0);
  EXPECT_GT(waited(later), 0);
  EXPECT_LE(waited(first) + waited(later), waited(kAlways));
  EXPECT_EQ(waited(IntervalSet()), 0);
}

TEST(HostLateness, NoneWithoutACommonClock) {
  Session session = line(20, true);
  for (auto& run : session.runs) run.clock_is_unix = false;
  EXPECT_TRUE(lateness_of_hosts(session, host_collectives(session), Messages(session, false), kAlways).empty());
}

}  // namespace
}  // namespace cgpu
