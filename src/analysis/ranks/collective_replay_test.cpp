// The replay of collectives: what a simulated job takes with and without what was planted, to the nanosecond.
#include "analysis/ranks/collective_replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

constexpr size_t kRanks = 12;
constexpr size_t kRounds = 9;

/// What each rank does before each collective, and what each collective takes.
struct Program {
  std::vector<std::vector<int64_t>> gaps;       // by round, by rank
  std::vector<std::vector<int64_t>> transfers;  // by round, by group of that round
};

/// In every round the ranks meet in groups of another size.
size_t group_of(size_t round, size_t rank) {
  constexpr size_t kSizes[] = {2, 3, 12};
  return rank / kSizes[round % 3];
}

Program random_program(unsigned seed) {
  std::mt19937_64 random(seed);
  Program program;
  for (size_t round = 0; round < kRounds; ++round) {
    auto& gaps = program.gaps.emplace_back();
    auto& transfers = program.transfers.emplace_back();
    // The first is reached at once by all: before it nothing is known of a rank.
    for (size_t rank = 0; rank < kRanks; ++rank) {
      gaps.push_back(round == 0 ? 0 : std::uniform_int_distribution<int64_t>(1'000, 9'000)(random));
    }
    for (size_t group = 0; group <= group_of(round, kRanks - 1); ++group) {
      transfers.push_back(std::uniform_int_distribution<int64_t>(100, 5'000)(random));
    }
  }
  return program;
}

struct Simulated {
  Session session;
  int64_t time = 0;  // of the rank that takes longest, from its first collective's end to its last one's
};

Simulated simulate(const Program& program) {
  std::vector<TestRun> runs;
  for (size_t rank = 0; rank < kRanks; ++rank) {
    runs.emplace_back(static_cast<int64_t>(rank));
    runs.back().run.host = "node" + std::to_string(rank / 4);
  }
  std::vector<int64_t> now(kRanks, 0);
  std::vector<int64_t> first(kRanks, 0);
  for (size_t round = 0; round < kRounds; ++round) {
    std::vector<int64_t> last(kRanks, 0);  // by group
    for (size_t rank = 0; rank < kRanks; ++rank) {
      now[rank] += program.gaps[round][rank];
      last[group_of(round, rank)] = std::max(last[group_of(round, rank)], now[rank]);
    }
    for (size_t rank = 0; rank < kRanks; ++rank) {
      const size_t group = group_of(round, rank);
      const int64_t end = last[group] + program.transfers[round][group];
      const auto clock = static_cast<int64_t>(rank) * 777'777;
      const SliceIndex op =
          runs[rank].kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", clock + now[rank], end - now[rank],
                            {0, 20, OpKind::communication, KernelClass::collective, kNone});
      Timeline& timeline = runs[rank].run.timeline;
      timeline.collectives.push_back(
          {.slice = op,
           .name = timeline.names.intern("allreduce"),
           .group = timeline.names.intern(std::to_string(round % 3) + "." + std::to_string(group))});
      now[rank] = end;
      if (round == 0) first[rank] = end;
    }
  }
  Simulated made;
  for (size_t rank = 0; rank < kRanks; ++rank) {
    made.session.runs.push_back(std::move(runs[rank].run));
    made.time = std::max(made.time, now[rank] - first[rank]);
  }
  return made;
}

int64_t lower_of_middle(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

TEST(CollectiveReplay, WithoutAChangeAllTakesWhatItTook) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Simulated made = simulate(random_program(seed));
    const SessionFacts facts(made.session);
    const CollectiveReplay replay(facts, 0);
    EXPECT_EQ(replay.time(replay.nothing()), made.time) << seed;
    EXPECT_EQ(replay.error(), 0.0);
  }
}

TEST(CollectiveReplay, ARankThatDoesNothingLongerThanUsual) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Program program = random_program(seed);
    for (size_t round = 1; round < kRounds; ++round) program.gaps[round][5] += 20'000;
    const Simulated made = simulate(program);
    const SessionFacts facts(made.session);
    const CollectiveReplay replay(facts, 0);
    CollectiveChange change = replay.nothing();
    change.own[5] = 1;
    for (std::vector<int64_t>& gaps : program.gaps) gaps[5] = std::min(gaps[5], lower_of_middle(gaps));
    EXPECT_EQ(replay.time(change), simulate(program).time) << seed;
    EXPECT_LT(*replay.time(change), made.time) << seed;
    EXPECT_EQ(std::max_element(replay.caused().begin(), replay.caused().end()) - replay.caused().begin(), 5);
  }
}

TEST(CollectiveReplay, TransfersThatTakeWhatTheyUsuallyTake) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Program program = random_program(seed);
    for (size_t round = 0; round < kRounds; round += 3) program.transfers[round][group_of(round, 5)] += 20'000;
    const Simulated made = simulate(program);
    const SessionFacts facts(made.session);
    const CollectiveReplay replay(facts, 0);
    CollectiveChange change = replay.nothing();
    change.transfers[5] = 1;
    for (size_t round = 0; round < kRounds; ++round) {
      std::vector<int64_t> of_ranks;
      for (size_t rank = 0; rank < kRanks; ++rank) {
        of_ranks.push_back(program.transfers[round][group_of(round, rank)]);
      }
      int64_t& own = program.transfers[round][group_of(round, 5)];
      own = std::min(own, lower_of_middle(of_ranks));
    }
    EXPECT_EQ(replay.time(change), simulate(program).time) << seed;
    const auto slow = replay.slow_transfers(change.transfers);
    ASSERT_TRUE(slow);
    EXPECT_EQ(slow->collective, "allreduce");
    EXPECT_GT(slow->mean, slow->usual);
  }
}

TEST(CollectiveReplay, CollectivesThatContradictEachOtherSayNothing) {
  // Two ranks that met in the same two collectives, each in another order.
  std::vector<TestRun> runs;
  for (int rank = 0; rank < 2; ++rank) {
    TestRun& run = runs.emplace_back(rank);
    Timeline& timeline = run.run.timeline;
    for (int place = 0; place < 2; ++place) {
      const SliceIndex op = run.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 1'000 * (1 + place), 500,
                                       {0, 20, OpKind::communication, KernelClass::collective, kNone});
      timeline.collectives.push_back({.slice = op,
                                      .name = timeline.names.intern("allreduce"),
                                      .group = timeline.names.intern(place == rank ? "a" : "b")});
    }
  }
  Session session;
  for (TestRun& run : runs) session.runs.push_back(std::move(run.run));
  const SessionFacts facts(session);
  const CollectiveReplay replay(facts, 0);
  EXPECT_EQ(replay.time(replay.nothing()), std::nullopt);
  EXPECT_EQ(replay.error(), std::nullopt);
}

TEST(CollectiveReplay, OfWholeIterationsTimeCountsFromTheEndOfTheOneBefore) {
  const Program program = random_program(1);
  const Simulated made = simulate(program);
  const SessionFacts facts(made.session);
  const CollectiveReplay replay(facts, 2);  // and the first: three rounds each
  // The rounds that end an iteration are met by all: all ranks leave them at once.
  const auto end_of = [&](size_t part) {
    const Slices& slices = made.session.runs[0].timeline.slices;
    return slices.end(static_cast<SliceIndex>(part));
  };
  EXPECT_EQ(replay.time(replay.nothing()), end_of(8) - end_of(2));
}

}  // namespace
}  // namespace cgpu
