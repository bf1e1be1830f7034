#include <gtest/gtest.h>

#include "analysis/ranks/transfer_rendezvous.h"

namespace cgpu {
namespace {

/// The parts of three ranks, [start, end), slice and instance of each; clocks are the same.
struct Part {
  int64_t start, end;
  SliceIndex slice;
  uint32_t instance;
};

CollectiveSeries series_of(const std::vector<std::vector<Part>>& ranks, uint32_t instances) {
  CollectiveSeries series;
  series.name = kTransfers;
  series.of_transfers = true;
  series.instances = instances;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    CollectiveMember member{rank, 0, static_cast<uint32_t>(series.parts.size()), 0};
    for (const Part& part : ranks[rank]) {
      series.parts.append({part.start, part.end - part.start, part.instance, part.slice});
    }
    member.end = static_cast<uint32_t>(series.parts.size());
    series.members.push_back(member);
  }
  return series;
}

Session session_of(size_t ranks) {
  Session session;
  session.runs.resize(ranks);
  for (auto& run : session.runs) run.clock_is_unix = true;
  return session;
}

TEST(TransferMeetings, BothEndsOfATransferMeet) {
  const auto series = series_of({{{0, 50, 0, 0}, {60, 80, 1, 1}}, {{40, 55, 0, 0}}, {{70, 80, 0, 1}}}, 2);
  EXPECT_EQ(transfer_rendezvous(session_of(3), series), (OutOfCoreVector<uint32_t>{0, 1, 0, 1}));
}

TEST(TransferMeetings, OpsOfABatchJoinTheirPartners) {
  // 0 sends to 1, which sends to 2 in the same op, and receives a second time alone.
  const auto series = series_of(
      {{{0, 50, 0, 0}, {60, 90, 1, 2}}, {{10, 55, 0, 0}, {10, 55, 0, 1}, {70, 95, 1, 2}}, {{20, 58, 0, 1}}}, 3);
  EXPECT_EQ(transfer_rendezvous(session_of(3), series), (OutOfCoreVector<uint32_t>{0, 1, 0, 0, 1, 0}));
}

TEST(TransferMeetings, WhoHadLeftDidNotMeet) {
  const auto series = series_of({{{0, 5, 0, 0}}, {{10, 20, 0, 0}}}, 1);
  EXPECT_EQ(transfer_rendezvous(session_of(2), series), (OutOfCoreVector<uint32_t>{0, 1}));
  Session session = session_of(2);  // on clocks that cannot be compared that is not known
  session.runs[1].clock_is_unix = false;
  session.runs[1].clock.method = RunClock::Method::unaligned;
  EXPECT_EQ(transfer_rendezvous(session, series), (OutOfCoreVector<uint32_t>{0, 0}));
}

}  // namespace
}  // namespace cgpu
