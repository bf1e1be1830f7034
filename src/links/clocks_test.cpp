// Clocks of ranks that were moved on purpose: the offset must come back exactly, and the residual must be the noise.
#include "links/clocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "links/collective_series.h"
#include "links/common_time.h"
#include "links/test_run.h"

namespace cgpu {
namespace {

using test::RunBuilder;
using Method = RunClock::Method;

struct RankOptions {
  std::string host;
  bool unix_clock = true;
  int64_t base = 1'700'000'000'000'000'000;
  int64_t offset = 0;  // what its clock shows too much
};

/// Ranks that meet in all-reduces: each begins at a moment of its own, all end together but for some noise.
class Job {
 public:
  explicit Job(std::vector<RankOptions> ranks) : options_(std::move(ranks)), builders_(options_.size()) {}

  void meet(int count, int64_t noise = 0, const std::string& kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)") {
    std::uniform_int_distribution<int64_t> late(0, 400'000), jitter(-noise, noise);
    for (int i = 0; i < count; ++i, now_ += 1'000'000) {
      const int64_t end = now_ + 500'000;
      for (size_t rank = 0; rank < builders_.size(); ++rank) {
        const int64_t shift = options_[rank].offset;
        const int64_t mine = end + (rank == 0 ? 0 : jitter(random_));
        add(rank, kernel, now_ + late(random_) + shift, mine + shift);
      }
    }
  }
  void add(size_t rank, const std::string& kernel, int64_t begin, int64_t end) {
    const int32_t device = same_device_ ? 0 : static_cast<int32_t>(rank);
    builders_[rank].add_op(SliceKind::kernel, kernel, begin, end, kNoCorrelation, device);
  }

  Session session() {
    Session session;
    for (size_t rank = 0; rank < builders_.size(); ++rank) {
      RunBuilder& b = builders_[rank];
      b.finish();
      for (OpKind& kind : b.run.timeline.device_ops.kind) kind = OpKind::communication;
      b.run.rank = static_cast<int64_t>(rank);
      b.run.host = options_[rank].host;
      b.run.clock_is_unix = options_[rank].unix_clock;
      b.run.clock_base = options_[rank].base;
      session.runs.push_back(std::move(b.run));
    }
    return session;
  }
  RunBuilder& builder(size_t rank) { return builders_[rank]; }
  /// What is added from now on runs on devices of one number.
  void use_same_device() { same_device_ = true; }

 private:
  bool same_device_ = false;
  std::vector<RankOptions> options_;
  std::vector<RunBuilder> builders_;
  int64_t now_ = 1'000'000;
  std::mt19937_64 random_{7};
};

TEST(Clocks, AnOffsetBetweenMachinesComesBackExactly) {
  for (const int64_t offset : {int64_t{1}, int64_t{-250'000}, int64_t{3'600'000'000'000}}) {
    Job job({{"a"}, {"b", true, 1'700'000'000'000'000'000, offset}});
    job.meet(50);
    Session session = job.session();
    align_clocks(session);
    EXPECT_EQ(session.runs[0].clock.method, Method::reference);
    EXPECT_EQ(session.runs[1].clock.method, Method::aligned);
    EXPECT_EQ(session.runs[1].clock.offset, -offset);
    EXPECT_EQ(session.runs[1].clock.residual, 0);
    EXPECT_EQ(session.runs[1].clock.pairs, 50);
    EXPECT_EQ(session.runs[1].clock_base, session.runs[0].clock_base - offset);
    EXPECT_EQ(session.runs[1].notes.count("clock_residual"), 1);
  }
}

TEST(Clocks, TheResidualIsTheNoiseAndOutliersDoNotMoveTheMedian) {
  Job job({{"a"}, {"b", true, 0, 5'000'000'000}});
  job.meet(101, 1000);
  for (int i = 0; i < 20; ++i) job.add(1, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", i, i + 1);  // not met by rank 0
  Session session = job.session();
  // The clocks have other zeros by 1.7e18 besides.
  align_clocks(session);
  const int64_t exact = 1'700'000'000'000'000'000 - 5'000'000'000;
  EXPECT_NEAR(static_cast<double>(session.runs[1].clock.offset - exact), 0, 200);
  EXPECT_GT(session.runs[1].clock.residual.value(), 200);
  EXPECT_LT(session.runs[1].clock.residual.value(), 800);  // the median of |uniform(-1000, 1000)| is 500
  EXPECT_EQ(session.runs[1].clock.pairs, 101);
}

TEST(Clocks, OneMachineHasOneClock) {
  Job job({{"a"}, {"a"}, {"b", true, 0, 7}, {"b", true, 0, 7}});
  job.meet(20, 300);
  Session session = job.session();
  align_clocks(session);
  EXPECT_EQ(session.runs[1].clock.method, Method::shared);
  EXPECT_EQ(session.runs[1].clock.offset, 0);
  EXPECT_GT(session.runs[1].clock.residual.value(), 0) << "reported, not removed";
  EXPECT_EQ(session.runs[2].clock.offset, session.runs[3].clock.offset) << "a machine is moved as a whole";
  EXPECT_EQ(session.runs[2].clock.method, Method::aligned);
}

TEST(Clocks, HostNamesThatLie) {
  Job job({{"localhost"}, {"localhost", true, 1'700'000'000'000'000'000, 10'000'000}});
  job.meet(20);
  Session session = job.session();
  align_clocks(session);
  EXPECT_EQ(session.runs[1].clock.method, Method::aligned);
  EXPECT_EQ(session.runs[1].clock.offset, -10'000'000);
}

TEST(Clocks, UnknownMachinesShareAClockWhereTheirCollectivesOverlap) {
  for (const auto& [offset, method] : {std::pair{int64_t{2000}, Method::shared}, {int64_t{900'000}, Method::aligned}}) {
    Job job({{""}, {"", true, 1'700'000'000'000'000'000, offset}});
    job.meet(50);
    Session session = job.session();
    align_clocks(session);
    EXPECT_EQ(session.runs[1].clock.method, method) << offset;
    EXPECT_EQ(session.runs[1].clock.offset, method == Method::shared ? 0 : -offset);
    EXPECT_EQ(session.runs[1].clock.residual, method == Method::shared ? 2000 : 0);
  }
}

TEST(Clocks, UnknownMachinesDoNotShareAClockThatIsOffByLessThanCollectivesLast) {
  const auto aligned = [](int64_t offset, int64_t noise, const std::string& kernel) {
    Job job({{""}, {"", true, 1'700'000'000'000'000'000, offset}});
    job.meet(50, noise, kernel);
    Session session = job.session();
    align_clocks(session);
    return std::pair(session.runs[1].clock.method, session.runs[1].clock.offset);
  };
  const std::string all_reduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)";
  EXPECT_EQ(aligned(90'000, 0, all_reduce), std::pair(Method::aligned, int64_t{-90'000}));  // they last 100 us or more
  EXPECT_EQ(aligned(45'000, 0, all_reduce), std::pair(Method::shared, int64_t{0}));
  EXPECT_EQ(aligned(90'000, 40'000, all_reduce), std::pair(Method::shared, int64_t{0})) << "may be the scatter";
  // Who has more to send ends later.
  EXPECT_EQ(aligned(90'000, 0, "ncclDevKernel_AllToAll(x)"), std::pair(Method::shared, int64_t{0}));
}

TEST(Clocks, RanksThatMayShareADeviceEndCollectivesInTurns) {
  for (const auto& [offset, method] :
       {std::pair{int64_t{90'000}, Method::shared}, {int64_t{6'000'000}, Method::aligned}}) {
    Job job({{""}, {"", true, 1'700'000'000'000'000'000, offset}});
    job.use_same_device();
    for (int64_t i = 0; i < 20; ++i) {
      for (size_t rank = 0; rank < 2; ++rank) {
        const int64_t shift = rank == 0 ? 0 : offset;
        const int64_t begin = 1'000'000'000 + 20'000'000 * i + shift;
        job.add(rank, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", begin, begin + 10'000'000);
      }
    }
    Session session = job.session();
    align_clocks(session);
    EXPECT_EQ(session.runs[1].clock.method, method) << offset;
  }
}

TEST(Clocks, AClockIsMovedByWhatEndsAtOneMomentAlone) {
  Job job({{""}, {"", true, 1'700'000'000'000'000'000, 90'000}});
  for (int i = 0; i < 100; ++i) {  // all-to-alls that rank 1 leaves later by as much as its clock is off
    const int64_t begin = 1'000'000'000 + 1'000'000 * i;
    job.add(0, "ncclDevKernel_AllToAll(x)", begin, begin + 590'000);
    job.add(1, "ncclDevKernel_AllToAll(x)", begin + 90'000, begin + 590'000);
  }
  job.meet(50);
  Session session = job.session();
  align_clocks(session);
  EXPECT_EQ(session.runs[1].clock.method, Method::aligned);
  EXPECT_EQ(session.runs[1].clock.offset, -90'000);
}

TEST(Clocks, RelativeClocksGetThatOfARankThatCountsFrom1970) {
  Job job({{"", false, 0, 123}, {"", true, 1'700'000'000'000'000'000, 0}, {"", false, 0, -456'789'000}});
  job.meet(30);
  Session session = job.session();
  align_clocks(session);
  EXPECT_EQ(session.runs[1].clock.method, Method::reference);
  for (const size_t rank : {0, 2}) {
    EXPECT_EQ(session.runs[rank].clock.method, Method::aligned);
    EXPECT_TRUE(session.runs[rank].clock_is_unix);
    EXPECT_EQ(session.runs[rank].clock.residual, 0);
  }
  EXPECT_EQ(session.runs[0].clock_base, 1'700'000'000'000'000'000 - 123);
  EXPECT_EQ(session.runs[2].clock_base, 1'700'000'000'000'000'000 + 456'789'000);
}

TEST(Clocks, WithoutCollectivesNothingIsMoved) {
  for (const bool unix_clock : {true, false}) {
    Job job({{"a", unix_clock}, {"b", unix_clock, 5}});
    job.meet(20, 0, "ncclDevKernel_SendRecv(x)");  // may end whenever it likes
    job.meet(2);                                   // too few
    Session session = job.session();
    align_clocks(session);
    EXPECT_EQ(session.runs[1].clock.method, unix_clock ? Method::unchecked : Method::unaligned);
    EXPECT_EQ(session.runs[1].clock_base, 5);
    EXPECT_EQ(session.runs[1].notes.count("clock_residual"), 1);
  }
}

TEST(Clocks, EndsThatDoNotAgreeAlignNothing) {
  Job job({{"a", false}, {"b", false}});
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int64_t> anywhere(0, 10'000'000'000);
  for (size_t rank : {0, 1}) {
    for (int i = 0; i < 40; ++i) {
      const int64_t begin = anywhere(random);
      job.add(rank, "ncclDevKernel_AllReduce(x)", begin, begin + 1000);
    }
  }
  Session session = job.session();
  align_clocks(session);
  EXPECT_EQ(session.runs[1].clock.method, Method::unaligned);
}

TEST(Clocks, ThroughARankInBetween) {
  // Ranks 0 and 1 meet, and 1 and 2, but never 0 and 2.
  Job job({{"a", false, 0, 0}, {"b", false, 0, 1000}, {"c", false, 0, 5000}});
  for (int64_t i = 0; i < 10; ++i) {
    job.add(0, "ncclDevKernel_AllReduce(x)", 100 * i, 100 * i + 50);
    job.add(1, "ncclDevKernel_AllReduce(x)", 1000 + 100 * i + 10, 1000 + 100 * i + 50);
    job.add(1, "ncclDevKernel_AllGather(x)", 1000 + 100 * i + 60, 1000 + 100 * i + 90);
    job.add(2, "ncclDevKernel_AllGather(x)", 5000 + 100 * i + 70, 5000 + 100 * i + 90);
  }
  Session session = job.session();
  align_clocks(session);
  EXPECT_EQ(session.runs[1].clock.offset, -1000);
  EXPECT_EQ(session.runs[2].clock.offset, -5000);
  EXPECT_EQ(session.runs[2].clock.residual, 0);
}

TEST(Clocks, ADriftThatTheEndsShowIsTakenOutOfComparisons) {
  // Rank 1 is 3 ms ahead and gains 100 ppm, rank 2 is only met by rank 1, against which it loses 40 ppm.
  for (const bool drifts : {true, false}) {
    const double faster = drifts ? 100e-6 : 0;
    const double slower = drifts ? -40e-6 : 0;
    Job job({{"a"}, {"b"}, {"c"}});
    std::mt19937_64 random(5);
    std::uniform_int_distribution<int64_t> late(0, 400'000), noise(-2'000, 2'000);
    const auto on_clock = [&](size_t rank, int64_t time) -> int64_t {
      if (rank == 0) return time;
      const int64_t second = time + 3'000'000 + std::llround(faster * static_cast<double>(time));
      return rank == 1 ? second : second - 7'000'000 + std::llround(slower * static_cast<double>(time));
    };
    std::vector<int64_t> begins[3];
    for (int64_t i = 0; i < 60; ++i) {
      for (size_t rank = 0; rank < 3; ++rank) {
        for (const size_t pair : {size_t{0}, size_t{1}}) {
          if (rank != pair && rank != pair + 1) continue;
          const int64_t now = 100'000'000 * i + static_cast<int64_t>(pair) * 1'000'000;
          const int64_t begin = now + late(random);
          const int64_t end = now + 500'000 + noise(random);
          begins[rank].push_back(begin);
          job.add(rank, pair == 0 ? "ncclDevKernel_AllReduce(x)" : "ncclDevKernel_AllGather(x)", on_clock(rank, begin),
                  on_clock(rank, end));
        }
      }
    }
    Session session = job.session();
    align_clocks(session);
    EXPECT_FALSE(session.runs[0].clock.drift);
    if (!drifts) {
      for (const cgpu::Run& run : session.runs) EXPECT_FALSE(run.clock.drift);
      continue;
    }
    ASSERT_TRUE(session.runs[1].clock.drift && session.runs[2].clock.drift);
    EXPECT_NEAR(session.runs[1].clock.drift->rate, faster, 2e-6);
    EXPECT_NEAR(session.runs[2].clock.drift->rate, faster + slower, 2e-6);
    for (const size_t rank : {size_t{1}, size_t{2}}) {
      const cgpu::Run& run = session.runs[rank];
      EXPECT_GT(*run.clock.residual, 50'000) << "an offset alone is wrong by what it drifts: up to 0.3 ms";
      EXPECT_LT(*run.clock.drift_residual, 4'000) << "the noise of the ends";
      const std::vector<int64_t>& starts = run.timeline.slices.start;
      for (size_t i = 0; i < starts.size(); ++i) {
        const int64_t common = common_time(run, starts[i]);
        const int64_t truth = begins[rank][i] + session.runs[0].clock_base;
        EXPECT_NEAR(static_cast<double>(common - truth), 0, 10'000);
        EXPECT_NEAR(static_cast<double>(own_time(run, common) - starts[i]), 0, 1);
      }
    }
  }
}

TEST(Clocks, NoiseIsNoDrift) {
  for (const int count : {15, 16, 40, 400}) {
    Job job({{"a"}, {"b", true, 0, 7'000'000}});
    job.meet(count, 100'000);
    Session session = job.session();
    align_clocks(session);
    EXPECT_FALSE(session.runs[1].clock.drift) << count;
    EXPECT_FALSE(session.runs[1].clock.drift_residual);
  }
}

TEST(Clocks, OneRunIsLeftAlone) {
  Job job({{"a"}});
  job.meet(5);
  Session session = job.session();
  align_clocks(session);
  EXPECT_EQ(session.runs[0].clock.method, Method::alone);
}

TEST(CollectiveSeries, ListsOfUnequalLengthAreLaidWhereTheEndsAgree) {
  std::mt19937_64 random(11);
  std::uniform_int_distribution<int64_t> length(1000, 90'000);
  Job job({{""}, {""}});
  int64_t now = 0;
  for (int i = 0; i < 40; ++i) {
    now += length(random);
    job.add(0, "ncclDevKernel_AllReduce(x)", now - 500, now);
    if (i >= 7 && i < 30) job.add(1, "ncclDevKernel_AllReduce(x)", now - 300 + 777'777, now + 777'777);
  }
  const Session session = job.session();
  const auto all = device_collectives(session);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "allreduce");
  EXPECT_EQ(all[0].instances, 40u);
  ASSERT_EQ(all[0].members.size(), 2u);
  EXPECT_EQ(all[0].parts.instance[all[0].members[1].first], 7u);
  EXPECT_EQ(all[0].parts.instance[all[0].members[1].end - 1], 29u);
}

TEST(CollectiveSeries, SequenceNumbersComeFirst) {
  Job job({{""}, {""}});
  for (int64_t i = 0; i < 6; ++i) job.add(0, "ncclDevKernel_AllReduce(x)", 100 * i, 100 * i + 50);
  for (int64_t i = 0; i < 4; ++i) job.add(1, "ncclDevKernel_AllReduce(x)", 100 * i, 100 * i + 50);
  const auto record = [&](size_t rank, std::vector<int64_t> numbers) {
    for (SliceIndex i = 0; i < numbers.size(); ++i) {
      Collective& collective = job.builder(rank).run.timeline.collectives.emplace_back();
      collective.slice = i;
      collective.sequence = numbers[i];
    }
  };
  record(0, {1, 2, 3, 3, 4, 5});  // 3 was cut into two
  record(1, {3, 3, 5, 6});
  const Session session = job.session();
  const auto all = device_collectives(session);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].instances, 7u);
  const auto instances = [&](size_t member) {
    std::vector<uint32_t> numbers;
    for (const CollectivePart part : all[0].parts_of(all[0].members[member])) numbers.push_back(part.instance);
    return numbers;
  };
  EXPECT_EQ(instances(0), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(instances(1), (std::vector<uint32_t>{2, 3, 5, 6}));
}

TEST(CollectiveSeries, AnySequenceNumbersAreMatchedAsByATableOfAll) {
  std::mt19937_64 random(11);
  for (int way = 0; way < 200; ++way) {
    const size_t ranks = 1 + random() % 4;
    Job job(std::vector<RankOptions>(ranks, {""}));
    std::vector<std::vector<std::pair<int64_t, uint32_t>>> places(ranks);  // number, how often it was there before
    std::map<std::pair<int64_t, uint32_t>, uint32_t> instances;
    for (size_t rank = 0; rank < ranks; ++rank) {
      const bool grows = random() % 2 == 0;
      std::map<int64_t, uint32_t> seen;
      int64_t number = static_cast<int64_t>(random() % 5);
      for (int64_t i = 0, count = 1 + static_cast<int64_t>(random() % 12); i < count; ++i) {
        number = grows ? number + 1 + static_cast<int64_t>(random() % 3) : static_cast<int64_t>(random() % 8);
        job.add(rank, "ncclDevKernel_AllReduce(x)", 100 * i, 100 * i + 50);
        Collective& collective = job.builder(rank).run.timeline.collectives.emplace_back();
        collective.slice = static_cast<SliceIndex>(i);
        collective.sequence = number;
        places[rank].emplace_back(number, seen[number]++);
        instances.emplace(places[rank].back(), 0);
      }
      std::shuffle(job.builder(rank).run.timeline.collectives.begin(), job.builder(rank).run.timeline.collectives.end(),
                   random);
    }
    uint32_t next = 0;
    for (auto& [place, instance] : instances) instance = next++;
    const Session session = job.session();
    const auto all = device_collectives(session);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].instances, instances.size());
    for (size_t rank = 0; rank < ranks; ++rank) {
      const CollectiveMember& member = all[0].members[rank];
      ASSERT_EQ(member.count(), places[rank].size());
      for (uint32_t i = 0; i < member.count(); ++i) {
        EXPECT_EQ(all[0].parts.instance[member.first + i], instances.at(places[rank][i])) << way;
      }
    }
  }
}

TEST(CollectiveSeries, WhichEndTogether) {
  for (const char* name : {"allreduce", "_allgather_base", "reduce_scatter", "all_to_allv", "MPI_Barrier",
                           "gloo:all_reduce", "ReduceScatter", "allreduce_coalesced"}) {
    EXPECT_TRUE(ends_together(name)) << name;
  }
  for (const char* name : {"broadcast", "reduce", "send_recv", "gather", "scatter", "MPI_Send"}) {
    EXPECT_FALSE(ends_together(name)) << name;
  }
  EXPECT_TRUE(has_equal_shares("all_reduce"));
  EXPECT_TRUE(has_equal_shares("MPI_Reduce_scatter_block"));
  for (const char* name : {"all_to_allv", "MPI_Allgatherv", "MPI_Reduce_scatter", "broadcast"}) {
    EXPECT_FALSE(has_equal_shares(name)) << name;
  }
}

}  // namespace
}  // namespace cgpu
