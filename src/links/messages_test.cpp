#include "links/messages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "links/test_run.h"

namespace cgpu {
namespace {

constexpr int64_t kMicrosecond = 1'000;

/// Ranks with a thread each, whose clocks are one.
Session session_of(std::vector<test::RunBuilder>& ranks) {
  Session session;
  for (test::RunBuilder& rank : ranks) {
    rank.finish();
    for (Track& track : rank.run.timeline.tracks) track.kind = TrackKind::host_thread;
    rank.run.clock_is_unix = true;
    session.runs.push_back(std::move(rank.run));
  }
  return session;
}
void call(test::RunBuilder& rank, const std::string& name, int64_t start, int64_t end) {
  rank.add(SliceKind::annotation, name, start, end);
}

TEST(Messages, WhichCallsWait) {
  const auto waits_in = [](const char* name) {
    std::vector<test::RunBuilder> ranks(1);
    call(ranks[0], name, 0, 100);
    const Session session = session_of(ranks);
    size_t waits = 0;
    for (const MessagesOfThread& thread : messages_of(session.runs[0].timeline)) waits += thread.waits.size();
    return waits;
  };
  for (const char* name :
       {"MPI_Wait", "MPI_Waitall", "MPI_Recv", "MPI_Sendrecv", "MPI_Send", "MPI_Probe", "PMPI_Recv"}) {
    EXPECT_EQ(waits_in(name), 1U) << name;
  }
  for (const char* name : {"MPI_Isend", "MPI_Irecv", "MPI_Test", "MPI_Bcast", "MPI_Barrier", "MPI_Init", "Recv"}) {
    EXPECT_EQ(waits_in(name), 0U) << name;
  }
}

TEST(Messages, TheShortestCallOfANameIsWhatAMessageTakes) {
  std::vector<test::RunBuilder> ranks(1);
  call(ranks[0], "MPI_Waitall", 0, 500);
  call(ranks[0], "MPI_Waitall", 1000, 1100);
  call(ranks[0], "MPI_Recv", 2000, 2900);
  call(ranks[0], "MPI_Iprobe", 3000, 3900);
  const Messages messages(session_of(ranks), true);
  ASSERT_EQ(messages.threads().size(), 1U);
  const auto& waits = messages.threads()[0].messages.waits;
  ASSERT_EQ(waits.size(), 3U);
  EXPECT_EQ(waits[0].until, 400);
  EXPECT_EQ(waits[1].until, 1000);
  EXPECT_EQ(waits[2].until, 2000) << "the only one of its name";
}

/// A ring of four ranks, each of which sends to both of its neighbours, and then waits for them; rank 2 computes for as
/// long again in each step. In the first step it does not, so that the shortest wait is that of a message alone.
std::vector<test::RunBuilder> ring(int64_t steps) {
  constexpr size_t kRanks = 4;
  std::vector<test::RunBuilder> ranks(kRanks);
  std::vector<int64_t> now(kRanks, 0), sent(kRanks, 0);
  for (int64_t step = 0; step < steps; ++step) {
    for (size_t rank = 0; rank < kRanks; ++rank) {
      now[rank] += (rank == 2 && step > 0 ? 200 : 100) * kMicrosecond;
      sent[rank] = now[rank];
      call(ranks[rank], "MPI_Isend", now[rank], now[rank] + 2 * kMicrosecond);
      now[rank] += 2 * kMicrosecond;
    }
    std::vector<int64_t> until = now;
    for (size_t rank = 0; rank < kRanks; ++rank) {
      const int64_t last = std::max(sent[(rank + 1) % kRanks], sent[(rank + 3) % kRanks]);
      until[rank] = std::max(now[rank], last) + 20 * kMicrosecond;
      call(ranks[rank], "MPI_Waitall", now[rank], until[rank]);
    }
    now = until;
  }
  return ranks;
}

TEST(Messages, WhoSentLastTellsWhomAWaitWasFor) {
  constexpr int64_t kSteps = 8;
  std::vector<test::RunBuilder> ranks = ring(kSteps);
  const Session session = session_of(ranks);
  const Messages messages(session, true);
  ASSERT_EQ(messages.threads().size(), 4U);
  for (const Messages::Thread& thread : messages.threads()) {
    ASSERT_EQ(thread.messages.exchanges.size(), static_cast<size_t>(kSteps));
    for (size_t step = 1; step < thread.messages.waits.size(); ++step) {
      const MessageWait wait = thread.messages.waits[step];
      if (wait.until - wait.start < 20 * kMicrosecond) continue;
      ASSERT_FALSE(thread.senders_of(step).empty()) << thread.run << " step " << step;
      const MessageSender& last = thread.senders_of(step).back();
      EXPECT_NE(last.run, thread.run);
      EXPECT_NE((last.run + 2) % 4, thread.run) << "it is no neighbour";
      EXPECT_LT(last.start, wait.end);
    }
  }
  EXPECT_EQ(messages.threads()[1].senders_of(1).back().run, 2U);
  EXPECT_TRUE(messages.threads()[2].senders_of(1).empty() ||
              messages.threads()[2].senders_of(1).back().start < messages.threads()[2].messages.waits[1].start);
}

TEST(Messages, NoSendersWithoutACommonClockOrWithUnequalExchanges) {
  std::vector<test::RunBuilder> ranks = ring(8);
  const Messages apart(session_of(ranks), false);
  for (const Messages::Thread& thread : apart.threads()) EXPECT_TRUE(thread.senders_of(3).empty());
  std::vector<test::RunBuilder> few = ring(2);
  const Messages too_few(session_of(few), true);
  for (const Messages::Thread& thread : too_few.threads()) EXPECT_TRUE(thread.senders_of(1).empty());
}

}  // namespace
}  // namespace cgpu
