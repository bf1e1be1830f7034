// Sends and receives: the pairs of ops of two ranks, and who waited for whom.
#include "links/transfers.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "links/collective_waits.h"
#include "links/test_run.h"

namespace cgpu {
namespace {

using test::RunBuilder;

constexpr const char* kKernel = "ncclDevKernel_SendRecv(x)";

/// Ranks whose ops are described as transfers.
class Ranks {
 public:
  explicit Ranks(size_t count) : builders_(count) {}

  /// An op of a rank: sends to the ranks in `to` and receives from those in `from`.
  void op(size_t rank, int64_t begin, int64_t end, const std::vector<int32_t>& to, const std::vector<int32_t>& from,
          int64_t elements = 10) {
    RunBuilder& b = builders_[rank];
    const SliceIndex slice = b.add_op(SliceKind::kernel, kKernel, begin, end, kNoCorrelation);
    Collective one;
    one.slice = slice;
    one.group = b.run.timeline.names.intern("0");
    one.type = b.run.timeline.names.intern("Float");
    one.group_size = static_cast<int32_t>(builders_.size());
    one.elements_in = one.elements_out = elements;
    for (const int32_t other : to) {
      one.to = other;
      one.from = -1;
      b.run.timeline.collectives.push_back(one);
    }
    for (const int32_t other : from) {
      one.to = -1;
      one.from = other;
      b.run.timeline.collectives.push_back(one);
    }
  }

  Session session() {
    Session session;
    for (size_t rank = 0; rank < builders_.size(); ++rank) {
      builders_[rank].finish();
      for (OpKind& kind : builders_[rank].run.timeline.device_ops.kind) kind = OpKind::communication;
      builders_[rank].run.rank = static_cast<int64_t>(rank);
      builders_[rank].run.rank_known = true;
      session.runs.push_back(std::move(builders_[rank].run));
    }
    return session;
  }

 private:
  std::vector<RunBuilder> builders_;
};

/// For each op of a series, by rank and start, when it no longer waited.
std::map<std::pair<uint32_t, int64_t>, int64_t> ends_of_waits(const Session& session, const CollectiveSeries& series) {
  std::map<std::pair<uint32_t, int64_t>, int64_t> ends;
  for_each_wait(session, series, arrivals(session, series),
                [&](const CollectiveMember& member, const CollectivePart& part, int64_t until) {
                  EXPECT_TRUE(ends.emplace(std::pair(member.run, part.start), until).second) << "an op came twice";
                });
  return ends;
}

TEST(Transfers, ASendIsMatchedWithTheReceiveOfItsPartner) {
  Ranks ranks(3);
  ranks.op(0, 0, 50, {1}, {});  // waits for rank 1
  ranks.op(1, 40, 60, {}, {0});
  ranks.op(1, 70, 130, {2}, {});  // waits for rank 2
  ranks.op(2, 100, 140, {}, {1});
  ranks.op(2, 150, 170, {1}, {});
  ranks.op(1, 150, 171, {}, {2});
  const Session session = ranks.session();
  const auto all = device_collectives(session);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, kTransfers);
  EXPECT_EQ(all[0].group, "0");
  EXPECT_TRUE(all[0].of_transfers);
  EXPECT_FALSE(all[0].are_exchanges);
  EXPECT_EQ(all[0].instances, 3u);
  EXPECT_EQ(ends_of_waits(session, all[0]),
            (std::map<std::pair<uint32_t, int64_t>, int64_t>{
                {{0, 0}, 40}, {{1, 40}, 40}, {{1, 70}, 100}, {{2, 100}, 100}, {{2, 150}, 150}, {{1, 150}, 150}}));
}

TEST(Transfers, AnOpOfABatchWaitsForTheLastOfItsPartners) {
  Ranks ranks(3);  // a ring: each sends to the next
  ranks.op(0, 10, 90, {1}, {2});
  ranks.op(1, 20, 95, {2}, {0});
  ranks.op(2, 70, 99, {0}, {1});
  const Session session = ranks.session();
  const auto all = device_collectives(session);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].instances, 3u);
  EXPECT_TRUE(all[0].are_exchanges);
  EXPECT_EQ(all[0].parts.size(), 6u);
  EXPECT_EQ(ends_of_waits(session, all[0]),
            (std::map<std::pair<uint32_t, int64_t>, int64_t>{{{0, 10}, 70}, {{1, 20}, 70}, {{2, 70}, 70}}));
  for (const CollectiveMember& member : all[0].members) {
    size_t ops = 0;
    all[0].for_each_op_of(member, [&](const CollectivePart&) { ++ops; });
    EXPECT_EQ(ops, 1u);
  }
}

TEST(Transfers, KernelsThatAnAllToAllLaunchesAreExchanges) {
  Session session;
  for (const char* range : {"nccl:all_to_all", "nccl:send 0->1"}) {
    RunBuilder b;
    const SliceIndex outer = b.add(SliceKind::annotation, range, 0, 20);
    const SliceIndex call = b.add(SliceKind::runtime_call, "cudaLaunchKernelExC", 5, 10);
    const SliceIndex op = b.add_op(SliceKind::kernel, kKernel, 30, 50, kNoCorrelation);
    b.finish();
    b.run.timeline.slices.launch[op] = call;
    b.run.timeline.slices.parent[call] = outer;
    b.run.timeline.device_ops.kind[0] = OpKind::communication;
    session.runs.clear();
    session.runs.push_back(std::move(b.run));
    const auto all = device_collectives(session);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].name, kTransfers) << "as the kernel's name says";
    EXPECT_EQ(all[0].are_exchanges, std::string(range) == "nccl:all_to_all");
  }
}

TEST(Transfers, ASendThatEndedBeforeItsPartnerCameWaitedNoLongerThanItLasted) {
  Ranks ranks(2);
  ranks.op(0, 0, 5, {1}, {});  // the library took the data
  ranks.op(1, 100, 110, {}, {0});
  const Session session = ranks.session();
  EXPECT_EQ(ends_of_waits(session, device_collectives(session)[0]),
            (std::map<std::pair<uint32_t, int64_t>, int64_t>{{{0, 0}, 5}, {{1, 100}, 100}}));
}

TEST(Transfers, WithoutItsPartnerOrTheOwnRankATransferStandsAlone) {
  Ranks ranks(3);
  ranks.op(0, 0, 50, {7}, {});  // a rank without a profile
  ranks.op(1, 0, 50, {0}, {});
  ranks.op(2, 0, 50, {0}, {});
  Session session = ranks.session();
  for (const Arrival& instance : arrivals(session, device_collectives(session)[0])) {
    EXPECT_EQ(instance.parts, 1u);
  }
  for (auto& run : session.runs) run.rank_known = false;
  const auto all = device_collectives(session);
  EXPECT_FALSE(all[0].of_transfers);
}

TEST(Transfers, WhoSendsToWhomIsNotKnownOfSendsAlone) {
  Ranks ranks(3);
  for (size_t rank = 0; rank < 3; ++rank) ranks.op(rank, 0, 50, {0}, {});
  Session session = ranks.session();
  for (auto& run : session.runs) {
    Collective& one = run.timeline.collectives[0];
    one.to = -1;
    one.name = run.timeline.names.intern("send");
  }
  const auto all = device_collectives(session);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "send");
  EXPECT_EQ(all[0].instances, 3u);  // k-th with k-th would be an instance of three senders
}

/// Against a table of all: transfers from one rank to another come in the same order at both ends.
TEST(Transfers, AnyBatchesAreMatchedInTheOrderOfTheirPairs) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 100; ++round) {
    const size_t count = 2 + random() % 4;
    Ranks ranks(count);
    std::map<std::pair<int32_t, int32_t>, std::vector<std::pair<uint32_t, int64_t>>> sends;  // by pair: rank, start
    std::map<std::pair<int32_t, int32_t>, std::vector<std::pair<uint32_t, int64_t>>> receives;
    std::vector<int64_t> now(count, 0);
    for (int i = 0; i < 10; ++i) {  // one batch of everybody: who sends to whom at random
      std::vector<std::vector<int32_t>> to(count), from(count);
      for (size_t a = 0; a < count; ++a) {
        for (size_t b = 0; b < count; ++b) {
          if (a == b || random() % 3 != 0) continue;
          to[a].push_back(static_cast<int32_t>(b));
          from[b].push_back(static_cast<int32_t>(a));
        }
      }
      for (uint32_t rank = 0; rank < count; ++rank) {
        now[rank] += 1 + static_cast<int64_t>(random() % 50);
        if (to[rank].empty() && from[rank].empty()) continue;
        const auto own = static_cast<int32_t>(rank);
        for (const int32_t other : to[rank]) sends[{own, other}].emplace_back(rank, now[rank]);
        for (const int32_t other : from[rank]) receives[{other, own}].emplace_back(rank, now[rank]);
        ranks.op(rank, now[rank], now[rank] + 60, to[rank], from[rank]);
      }
    }
    const Session session = ranks.session();
    const auto all = device_collectives(session);
    if (sends.empty()) continue;
    ASSERT_EQ(all.size(), 1u);
    using Ends = std::vector<std::pair<uint32_t, int64_t>>;
    std::map<uint32_t, Ends> ends;  // by instance
    for (const CollectiveMember& member : all[0].members) {
      for (const CollectivePart part : all[0].parts_of(member))
        ends[part.instance].emplace_back(member.run, part.start);
    }
    std::vector<Ends> found, wanted;
    for (const auto& [instance, both] : ends) found.push_back(both);
    for (const auto& [pair, list] : sends) {
      for (size_t i = 0; i < list.size(); ++i) {
        Ends both{list[i], receives.at(pair)[i]};
        std::sort(both.begin(), both.end());
        wanted.push_back(std::move(both));
      }
    }
    std::sort(found.begin(), found.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(found, wanted) << round;
  }
}

/// A rank's host asks for transfers as PyTorch does: first ops that name the partners, then a range that launches.
class Host {
 public:
  SliceIndex ask(int64_t at, int32_t to, int32_t from) {
    Collective one;
    one.slice = b.add(SliceKind::framework_op, "record_param_comms", at, at + 4);
    one.to = to;
    one.from = from;
    b.run.timeline.hints.transfers.push_back(one);
    return one.slice;
  }
  /// The launching call lies in a range of this name, which may lie in another slice.
  SliceIndex launch(int64_t at, const char* range, SliceIndex outside = kNone) {
    const SliceIndex around = b.add(SliceKind::annotation, range, at, at + 10);
    const SliceIndex call = b.add(SliceKind::runtime_call, "cudaLaunchKernelExC", at + 2, at + 5);
    const SliceIndex op = b.add_op(SliceKind::kernel, kKernel, at + 100, at + 150, kNoCorrelation);
    links_.push_back({outside, around, call, op});
    return op;
  }
  Timeline& linked() {
    b.finish();
    Timeline& t = b.run.timeline;
    for (OpKind& kind : t.device_ops.kind) kind = OpKind::communication;
    for (const auto& [outside, around, call, op] : links_) {
      t.slices.parent[around] = outside;
      t.slices.parent[call] = around;
      t.slices.launch[op] = call;
    }
    link_transfers(t);
    return t;
  }

  RunBuilder b;

 private:
  struct Linked {
    SliceIndex outside, around, call, op;
  };
  std::vector<Linked> links_;
};

std::map<SliceIndex, std::vector<std::pair<int32_t, int32_t>>> partners(const Timeline& t) {
  std::map<SliceIndex, std::vector<std::pair<int32_t, int32_t>>> all;
  for (const Collective& one : t.collectives) all[one.slice].emplace_back(one.to, one.from);
  return all;
}

TEST(LinkTransfers, ABatchHasWhatTheHostAskedForSinceTheOneBefore) {
  Host host;
  host.ask(0, 1, -1);
  const SliceIndex first = host.launch(10, "nccl:coalesced");
  host.ask(30, 1, -1);
  host.ask(35, -1, 2);
  const SliceIndex second = host.launch(40, "nccl:coalesced");
  EXPECT_EQ(partners(host.linked()), (std::map<SliceIndex, std::vector<std::pair<int32_t, int32_t>>>{
                                         {first, {{1, -1}}}, {second, {{1, -1}, {-1, 2}}}}));
}

TEST(LinkTransfers, AnOpThatIsDescribedItselfKeepsThat) {
  Host host;
  const SliceIndex asked = host.ask(0, 1, -1);
  const SliceIndex op = host.launch(1, "nccl:send 0->1", asked);
  Collective described;
  described.slice = op;
  described.to = 1;
  host.b.run.timeline.collectives.push_back(described);
  host.ask(30, -1, 2);
  const SliceIndex batch = host.launch(40, "nccl:coalesced");
  EXPECT_EQ(partners(host.linked()),
            (std::map<SliceIndex, std::vector<std::pair<int32_t, int32_t>>>{{op, {{1, -1}}}, {batch, {{-1, 2}}}}));
}

TEST(LinkTransfers, AnOpThatIsNotDescribedHasWhatLaunchedIt) {
  Host host;
  const SliceIndex asked = host.ask(0, 1, -1);
  const SliceIndex op = host.launch(1, "nccl:send 0->1", asked);
  EXPECT_EQ(partners(host.linked()), (std::map<SliceIndex, std::vector<std::pair<int32_t, int32_t>>>{{op, {{1, -1}}}}));
}

TEST(LinkTransfers, OtherRangesHaveNothing) {
  Host host;
  host.ask(0, 1, -1);
  host.launch(10, "nccl:all_reduce");
  EXPECT_TRUE(partners(host.linked()).empty());
}

}  // namespace
}  // namespace cgpu
