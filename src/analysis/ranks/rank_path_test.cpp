// Table `rank_path`: the chain of a simulated job, against a walk through what was simulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/ranks/collective_gaps.h"
#include "analysis/ranks/collective_replay.h"
#include "analysis/test_partials.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

constexpr size_t kMembers = 6;
constexpr size_t kMeetings = 10;

/// Sums of time by owner, rank (-1: transfer), and name of the group.
using PathSums = std::map<std::tuple<std::string, int64_t, std::string>, int64_t>;

/// Ranks that compute, do nothing, and meet in groups of changing sizes, each on a clock of its own.
struct SimulatedPath {
  /// `sizes`: of the groups, round by round and again from the front.
  SimulatedPath(unsigned seed, std::vector<size_t> sizes) : sizes_(std::move(sizes)) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int64_t from, int64_t to) {
      return std::uniform_int_distribution<int64_t>(from, to)(random);
    };
    std::vector<TestRun> runs;
    for (size_t rank = 0; rank < kMembers; ++rank) runs.emplace_back(static_cast<int64_t>(rank));
    std::vector<int64_t> now(kMembers, 0);
    for (size_t round = 0; round < kMeetings; ++round) {
      auto& computes = computes_.emplace_back(kMembers, 0);
      auto& begins = begins_.emplace_back(now);
      auto& hidden = hidden_.emplace_back();
      std::map<std::string, int64_t> last;
      std::map<std::string, int64_t> transfer;
      for (size_t rank = 0; rank < kMembers; ++rank) {
        if (round > 0) {
          computes[rank] = draw(0, 5'000);
          begins[rank] += computes[rank] + draw(1, 5'000);
        }
        int64_t& latest = last.try_emplace(group_of(round, rank), INT64_MIN).first->second;
        latest = std::max(latest, begins[rank]);
        transfer.try_emplace(group_of(round, rank), draw(1'000, 4'000));
      }
      for (size_t rank = 0; rank < kMembers; ++rank) {
        const std::string group = group_of(round, rank);
        const int64_t end = last.at(group) + transfer.at(group);
        const int64_t clock = static_cast<int64_t>(rank) * 777'777;
        hidden.push_back(draw(0, 900));
        if (computes[rank] > 0) runs[rank].kernel("gemm", clock + now[rank], computes[rank]);
        if (hidden[rank] > 0) runs[rank].kernel("gemm", clock + begins[rank], hidden[rank]);
        const SliceIndex op =
            runs[rank].kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", clock + begins[rank], end - begins[rank],
                              {0, 20, OpKind::communication, KernelClass::collective, kNone});
        Timeline& timeline = runs[rank].run.timeline;
        timeline.collectives.push_back(
            {.slice = op, .name = timeline.names.intern("allreduce"), .group = timeline.names.intern(group)});
        now[rank] = end;
      }
      ends_.push_back(now);
    }
    for (TestRun& run : runs) session.runs.push_back(std::move(run.run));
  }

  std::string group_of(size_t round, size_t rank) const {
    const size_t size = sizes_[round % sizes_.size()];
    return std::to_string(size) + "." + std::to_string(rank / size);
  }

  /// Backwards from the latest end, in the simulation's own time. The first round is one of all ranks.
  PathSums walk() const {
    PathSums sums;
    size_t rank = 0;
    for (size_t each = 0; each < kMembers; ++each) {
      if (ends_.back()[each] > ends_.back()[rank]) rank = each;
    }
    for (size_t round = kMeetings - 1; round > 0; --round) {
      const std::string group = group_of(round, rank);
      size_t last = rank;
      for (size_t each = 0; each < kMembers; ++each) {
        if (group_of(round, each) == group && begins_[round][each] > begins_[round][last]) last = each;
      }
      const int64_t transfer = ends_[round][rank] - begins_[round][last];
      const auto add = [&](const char* owner, int64_t whose, int64_t time) {
        if (time > 0) sums[{owner, whose, group}] += time;
      };
      add("hidden_transfer", -1, hidden_[round][last]);
      add("exposed_transfer", -1, transfer - hidden_[round][last]);
      const int64_t gap = begins_[round][last] - ends_[round - 1][last];
      add("compute", static_cast<int64_t>(last), computes_[round][last]);
      add("unknown", static_cast<int64_t>(last), gap - computes_[round][last]);  // nothing says who launched the op
      rank = last;
    }
    return sums;
  }

  Session session;

 private:
  std::vector<size_t> sizes_;
  std::vector<std::vector<int64_t>> computes_;  // by round, by rank
  std::vector<std::vector<int64_t>> begins_;    // of the collective
  std::vector<std::vector<int64_t>> ends_;
  std::vector<std::vector<int64_t>> hidden_;  // of the collective, at its beginning on that rank
};

PathSums sums_of(const Table& table) {
  PathSums sums;
  for (size_t row = 0; row < table.row_count(); ++row) {
    const int64_t rank = absent_at(table, row, "rank") ? -1 : integer_at(table, row, "rank");
    const std::string group = absent_at(table, row, "group") ? "" : text_at(table, row, "group");
    sums[{text_at(table, row, "owner"), rank, group}] += integer_at(table, row, "total_ns");
  }
  return sums;
}

int64_t whole_of(const Table& table) {
  int64_t whole = 0;
  for (size_t row = 0; row < table.row_count(); ++row) whole += integer_at(table, row, "total_ns");
  return whole;
}

TEST(RankPath, IsTheChainThatWasSimulated) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const SimulatedPath made(seed, {kMembers, 2, 3});
    const Table table = rank_path_table(made.session);
    expect_well_formed(table);
    EXPECT_EQ(sums_of(table), made.walk()) << seed;
    EXPECT_EQ(integer_at(table, 0, "path_ns"), integer_at(table, 0, "measured_ns"));
    EXPECT_TRUE(absent_at(table, 0, "iterations"));
  }
}

TEST(RankPath, AddsUpToTheReplayedTimeWhereverItBegins) {
  // Groups that leave their first collectives at different moments: the path begins within a piece.
  for (unsigned seed = 0; seed < 50; ++seed) {
    const SimulatedPath made(seed, {2, 3, 2, kMembers});
    const SessionFacts facts(made.session);
    const CollectiveReplay replay(facts, 0);
    const Table table = make_table(find_analysis("rank_path"), facts);
    EXPECT_EQ(whole_of(table), replay.time(replay.nothing())) << seed;
    EXPECT_EQ(whole_of(table), integer_at(table, 0, "path_ns"));
    EXPECT_EQ(replay.path()->time, whole_of(table));
  }
}

TEST(RankPath, CountsHowOftenItComesToADevice) {
  // Rank 1 is last in each meeting of two, so that the path never leaves it.
  std::vector<TestRun> runs;
  for (int rank = 0; rank < 2; ++rank) {
    TestRun& run = runs.emplace_back(rank);
    for (int round = 0; round < 4; ++round) {
      const int64_t end = 10'000 * (round + 1);
      const int64_t takes = rank == 1 || round == 0 ? 1'000 : 4'000;
      run.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", end - takes, takes,
                 {0, 20, OpKind::communication, KernelClass::collective, kNone});
    }
  }
  Session session;
  for (TestRun& run : runs) session.runs.push_back(std::move(run.run));
  const Table table = rank_path_table(session);
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(text_at(table, 0, "owner"), "unknown");
  EXPECT_EQ(integer_at(table, 0, "rank"), 1);
  EXPECT_EQ(integer_at(table, 0, "total_ns"), 27'000);
  EXPECT_EQ(integer_at(table, 0, "count"), 3);
  EXPECT_EQ(integer_at(table, 0, "entries"), 0);
  EXPECT_EQ(text_at(table, 0, "after"), "allreduce");
  EXPECT_EQ(text_at(table, 1, "owner"), "exposed_transfer");
  EXPECT_TRUE(absent_at(table, 1, "rank"));
  EXPECT_TRUE(absent_at(table, 1, "entries"));
}

TEST(RankPath, WaitingIsNotCalledTransferWhereNobodyElseIsKnown) {
  std::vector<TestRun> runs;
  for (int rank = 0; rank < 2; ++rank) {
    TestRun& run = runs.emplace_back(rank);
    for (const char* name : {"AllReduce", "SendRecv", "AllReduce"}) {
      const auto round = static_cast<int64_t>(run.run.timeline.slices.size());
      run.kernel("ncclDevKernel_" + std::string(name), 10'000 * round, 1'000,
                 {0, 20, OpKind::communication, KernelClass::collective, kNone});
    }
  }
  Session session;
  for (TestRun& run : runs) session.runs.push_back(std::move(run.run));
  const PathSums sums = sums_of(rank_path_table(session));
  EXPECT_EQ(sums.at({"transfer_or_wait", -1, ""}), 1'000);
  EXPECT_EQ(sums.at({"exposed_transfer", -1, ""}), 1'000);
}

TEST(RankPath, NothingWhereCollectivesDoNotTellWhoCameLast) {
  std::vector<TestRun> runs;
  for (int rank = 0; rank < 2; ++rank) {
    TestRun& run = runs.emplace_back(rank);
    for (int64_t round = 0; round < 3; ++round) {
      run.kernel("ncclDevKernel_SendRecv", 10'000 * round, 1'000,
                 {0, 20, OpKind::communication, KernelClass::collective, kNone});
    }
  }
  Session session;
  for (TestRun& run : runs) session.runs.push_back(std::move(run.run));
  EXPECT_TRUE(rank_path_table(session).empty());
}

TEST(RankPath, NothingOfARankAloneOrWhereNobodyMeets) {
  SimulatedPath made(1, {kMembers});
  made.session.runs.resize(1);
  EXPECT_TRUE(rank_path_table(made.session).empty());
  EXPECT_TRUE(rank_path_table(SimulatedPath(1, {1}).session).empty());
}

TEST(RankPath, TimesThatOnlyADamagedSummaryHoldsGiveAPathThatAddsUpOrNone) {
  size_t paths = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const unsigned one_in = 4U << (seed % 6);  // with few wrong times there may be a path
    SimulatedPath made(seed, {kMembers, 2, 3});
    SessionFacts before(made.session);
    const Analysis& analysis = find_analysis("rank_path");
    const auto kept = analysis.fold(analysis, {});
    std::vector<uint32_t> numbers;
    for (uint32_t run = 0; run < kMembers; ++run) {
      kept->update({before, run, run});
      numbers.push_back(run);
    }
    for (cgpu::Run& run : made.session.runs) {
      Slices& slices = run.timeline.slices;
      for (SliceIndex i = 0; i < slices.size(); ++i) {
        if (random() % one_in != 0) continue;
        const auto most = static_cast<int64_t>(UINT64_MAX >> (3 + random() % 57));
        slices.start[i] = std::uniform_int_distribution<int64_t>(-most, most)(random);
        slices.duration[i] = std::uniform_int_distribution<int64_t>(0, most)(random);
      }
    }
    const SessionFacts facts(made.session);
    const auto path = CollectiveReplay(facts, 0).path();
    const Table table = kept->finalize({facts, numbers});
    if (!table.empty()) {
      ASSERT_TRUE(path);
      EXPECT_EQ(whole_of(table), path->time);
      ++paths;
    }
  }
  EXPECT_GT(paths, 10U);
}

TEST(RankPath, AnyOrderAnyGroupingAndThroughBytes) {
  const SimulatedPath made(7, {kMembers, 2, 3});
  const SessionFacts facts(made.session);
  const Analysis& analysis = find_analysis("rank_path");
  const Table expected = make_table(analysis, facts);
  std::mt19937_64 random(3);
  for (int way = 0; way < 10; ++way) EXPECT_EQ(folded(analysis, {}, facts, random), expected);
}

TEST(CollectiveGaps, OfCollectivesThatOverlapAddUpToo) {
  // Two streams of collectives, compute, copies and a collective of no time at all, anywhere.
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int64_t to) { return std::uniform_int_distribution<int64_t>(0, to)(random); };
    TestRun run;
    std::vector<std::pair<int64_t, int64_t>> collectives;  // start, end
    for (int i = 0; i < 12; ++i) {
      const int64_t start = draw(1'000);
      const int64_t takes = draw(80);
      collectives.emplace_back(start, start + takes);
      run.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", start, takes,
                 {0, 20 + i % 2, OpKind::communication, KernelClass::collective, kNone});
      run.kernel("gemm", draw(1'000), draw(60));
      run.memcpy("Memcpy HtoD (Pinned -> Device)", draw(1'000), draw(60), {});
    }
    std::sort(collectives.begin(), collectives.end());
    const Session session = session_of(run);
    const SessionFacts facts(session);
    const std::vector<CollectiveGaps> all = collective_gaps({facts, 0, 0});
    ASSERT_EQ(all.size(), 1u);
    size_t places = 0;
    all[0].for_each([&](uint32_t place, const CollectiveGap& gap) {
      EXPECT_EQ(place, places++);
      const int64_t start = collectives[place].first;
      int64_t before = INT64_MIN;
      for (size_t each = 0; each < place; ++each) {
        if (collectives[each].second <= start) before = std::max(before, collectives[each].second);
      }
      EXPECT_EQ(std::accumulate(gap.owned_ns.begin(), gap.owned_ns.end(), int64_t{0}),
                before == INT64_MIN ? 0 : start - before)
          << seed << " " << place;
      EXPECT_GE(*std::min_element(gap.owned_ns.begin(), gap.owned_ns.end()), 0);
      EXPECT_LE(gap.hidden_ns, collectives[place].second - start);
    });
    EXPECT_EQ(places, collectives.size());
  }
}

}  // namespace
}  // namespace cgpu
