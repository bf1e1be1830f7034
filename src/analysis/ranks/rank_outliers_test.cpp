// Table `rank_outliers`: of devices with noise those that were slowed down, and no others.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/ranks/outlier_place.h"
#include "analysis/test_partials.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

constexpr int64_t kMicro = 1000;
constexpr int kSteps = 5;

/// What a rank of a job does in a step.
struct RankWork {
  int64_t loads = 1000 * kMicro;
  int64_t computes = 4000 * kMicro;
  int64_t arrives = 0;  // so much later than its work says
  int64_t moves = 800 * kMicro;
};

/// Ranks of machines with two each; the two and all of them share collectives, whose last member waits for nobody.
/// Every step begins together.
Session job_of(int ranks, const std::function<void(int rank, RankWork&)>& plant, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  const auto about = [&](int64_t time) {
    return time + std::uniform_int_distribution<int64_t>(-time / 100, time / 100)(random);
  };
  std::vector<TestRun> runs;
  for (int rank = 0; rank < ranks; ++rank) {
    runs.emplace_back(rank);
    runs.back().run.host = "node" + std::to_string(rank / 2);
  }
  int64_t now = 1'000'000;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<int64_t> done;
    int64_t last = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      RankWork work;
      plant(rank, work);
      TestRun& run = runs[static_cast<size_t>(rank)];
      const int64_t loaded = now + about(work.loads) + work.arrives;
      run.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(step), now, loaded - now + 30 * kMicro);
      run.host(SliceKind::annotation, "enumerate(DataLoader)", now, loaded - now);
      const SliceIndex call = run.host(kCall, "cudaLaunchKernel", loaded, 5 * kMicro);
      const int64_t takes = about(work.computes);
      run.kernel("gemm", loaded + 5 * kMicro, takes, launched_by(call));
      done.push_back(loaded + 5 * kMicro + takes);
      last = std::max(last, done.back());
    }
    for (int rank = 0; rank < ranks; ++rank) {
      RankWork work;
      plant(rank, work);
      TestRun& run = runs[static_cast<size_t>(rank)];
      const int64_t begin = done[static_cast<size_t>(rank)];
      // That of two ranks comes last in all, so that it waits for nobody but its moves.
      const SliceIndex op = run.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", begin, last + work.moves - begin,
                                       {0, 20, OpKind::communication, KernelClass::collective, kNone});
      Timeline& timeline = run.run.timeline;
      timeline.collectives.push_back({.slice = op,
                                      .name = timeline.names.intern("allreduce"),
                                      .group = timeline.names.intern("pair" + std::to_string(rank / 2))});
    }
    now = last + 2000 * kMicro;
  }
  Session session;
  for (TestRun& run : runs) session.runs.push_back(std::move(run.run));
  return session;
}

TEST(RankOutliers, NoneWhereAllRanksAreEqual) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(rank_outliers_table(job_of(
                                        40, [](int, RankWork&) {}, seed))
                    .empty())
        << seed;
  }
}

TEST(RankOutliers, ADeviceThatComputesLonger) {
  const Table table =
      rank_outliers_table(job_of(40, [](int rank, RankWork& work) { work.computes += rank == 17 ? 1'000'000 : 0; }));
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(text_at(table, 0, "owner"), "compute");
  EXPECT_EQ(text_at(table, 0, "ranks"), "17");
  EXPECT_EQ(text_at(table, 0, "scope"), "device");
  EXPECT_EQ(text_at(table, 0, "host"), "node8");
  EXPECT_TRUE(absent_at(table, 0, "group"));
  EXPECT_EQ(integer_at(table, 0, "rank"), 17);
  EXPECT_NEAR(static_cast<double>(integer_at(table, 0, "usual_ns")), 4e6, 4e4);
  EXPECT_NEAR(static_cast<double>(integer_at(table, 0, "excess_ns")), 1e6, 6e4);
  EXPECT_EQ(integer_at(table, 0, "time_ns") - integer_at(table, 0, "usual_ns"), integer_at(table, 0, "excess_ns"));
  EXPECT_GT(real_at(table, 0, "distance"), 3.5);
}

TEST(RankOutliers, AMachineThatLoadsLongerIsOneRow) {
  const Table table =
      rank_outliers_table(job_of(40, [](int rank, RankWork& work) { work.loads += rank / 2 == 5 ? 3'000'000 : 0; }));
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(text_at(table, 0, "owner"), "data_loading");
  EXPECT_EQ(text_at(table, 0, "ranks"), "10-11");
  EXPECT_EQ(text_at(table, 0, "scope"), "host");
  EXPECT_EQ(integer_at(table, 0, "devices"), 2);
  EXPECT_NEAR(static_cast<double>(integer_at(table, 0, "excess_ns")), 3e6, 1e5);
}

TEST(RankOutliers, TransferIsTheGroupsAndClocksDoNotMatter) {
  const auto plant = [](int rank, RankWork& work) { work.moves += rank / 2 == 3 ? 900'000 : 0; };
  Session session = job_of(40, plant);
  for (cgpu::Run& run : session.runs) run.host.clear();
  const Table table = rank_outliers_table(session);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(text_at(table, 0, "owner"), "transfer");
  EXPECT_EQ(text_at(table, 0, "ranks"), "6-7");
  EXPECT_EQ(text_at(table, 0, "scope"), "group");
  EXPECT_EQ(text_at(table, 0, "group"), "pair3");
  EXPECT_TRUE(absent_at(table, 0, "host"));
  for (cgpu::Run& run : session.runs) run.clock_base += run.rank * 123'456;
  EXPECT_EQ(rank_outliers_table(session), table);
}

TEST(RankOutliers, AGroupSaysWhatItIsForWhereItsProfileDoes) {
  Session session = job_of(40, [](int rank, RankWork& work) { work.moves += rank / 2 == 3 ? 900'000 : 0; });
  for (cgpu::Run& run : session.runs) {
    run.host.clear();
    run.groups = {{"0", "default_pg", "nccl", 40, {}},
                  {"pair" + std::to_string(run.rank / 2), "TENSOR_MODEL_PARALLEL_GROUP", "nccl", 2, {}}};
  }
  const Table table = rank_outliers_table(session);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(text_at(table, 0, "scope"), "group");
  EXPECT_EQ(text_at(table, 0, "group_kind"), "tensor parallel");
  EXPECT_EQ(outlier_place(table, 0), " of the tensor parallel group pair3");
}

/// Pipelines of five stages: rank r holds stage r / 8, on machines of two.
Session in_stages(Session session) {
  for (cgpu::Run& run : session.runs) {
    run.rank_known = true;
    const int64_t first = run.rank % 8;
    run.groups = {
        {"line" + std::to_string(first), "mesh_pp", "nccl", 5, {first, first + 8, first + 16, first + 24, first + 32}}};
  }
  return session;
}

TEST(RankOutliers, AStageThatComputesLongerIsOneRow) {
  const Table table = rank_outliers_table(
      in_stages(job_of(40, [](int rank, RankWork& work) { work.computes += rank / 8 == 4 ? 1'000'000 : 0; })));
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(text_at(table, 0, "owner"), "compute");
  EXPECT_EQ(text_at(table, 0, "ranks"), "32-39");
  EXPECT_EQ(text_at(table, 0, "scope"), "stage");
  EXPECT_EQ(integer_at(table, 0, "stage"), 4);
  EXPECT_TRUE(absent_at(table, 0, "host"));
  EXPECT_EQ(outlier_place(table, 0), " of pipeline stage 4");
}

TEST(RankOutliers, MostOfAStageIsTheStageAndLessIsNot) {
  const auto scopes = [](int slow) {
    Session session = in_stages(job_of(
        40, [&](int rank, RankWork& work) { work.computes += rank / 8 == 4 && rank % 8 < slow ? 1'000'000 : 0; }));
    for (cgpu::Run& run : session.runs) {
      run.host.clear();
      run.timeline.collectives.clear();
    }
    const Table table = rank_outliers_table(session);
    std::vector<std::string> found;
    for (size_t row = 0; row < table.row_count(); ++row) {
      found.push_back(text_at(table, row, "scope"));
      EXPECT_EQ(integer_at(table, row, "stage"), 4);
    }
    return found;
  };
  EXPECT_EQ(scopes(6), std::vector<std::string>{"stage"});
  EXPECT_EQ(scopes(5), std::vector<std::string>(5, "device"));
}

TEST(RankOutliers, AMachineThatIsAStageIsTheMachine) {
  Session session =
      in_stages(job_of(40, [](int rank, RankWork& work) { work.computes += rank / 8 == 2 ? 1'000'000 : 0; }));
  for (cgpu::Run& run : session.runs) run.host = "node" + std::to_string(run.rank / 8);
  const Table table = rank_outliers_table(session);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(text_at(table, 0, "scope"), "host");
  EXPECT_EQ(text_at(table, 0, "host"), "node2");
  EXPECT_EQ(integer_at(table, 0, "stage"), 2);
}

TEST(RankOutliers, ARackOfWhichMostMachinesDeviateIsOneRow) {
  const auto plant = [](int rank, RankWork& work) { work.loads += rank / 2 >= 8 && rank / 2 < 11 ? 3'000'000 : 0; };
  Session session = job_of(40, plant);
  for (cgpu::Run& run : session.runs) {
    const int64_t machine = run.rank / 2;
    run.host = "rack" + std::to_string(machine / 4) + "-node" + std::to_string(machine);
  }
  const Table table = rank_outliers_table(session);
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(text_at(table, 0, "ranks"), "16-21");
  EXPECT_EQ(text_at(table, 0, "scope"), "rack");
  EXPECT_EQ(text_at(table, 0, "rack"), "2");
  EXPECT_TRUE(absent_at(table, 0, "host"));
  EXPECT_EQ(outlier_place(table, 0), " in rack 2");
}

TEST(RankOutliers, NoneOfEqualStages) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(rank_outliers_table(in_stages(job_of(
                                        40, [](int, RankWork&) {}, seed)))
                    .empty())
        << seed;
  }
}

TEST(RankOutliers, WaitingIsToldOfTheOneWhoIsWaitedFor) {
  const Table table =
      rank_outliers_table(job_of(40, [](int rank, RankWork& work) { work.computes += rank == 4 ? 2'000'000 : 0; }));
  ASSERT_EQ(table.row_count(), 1u) << "rank 5, which waits for it, does nothing longer of its own";
  EXPECT_NEAR(static_cast<double>(integer_at(table, 0, "caused_ns")), 2e6, 1e5) << "of rank 5, a step";
}

TEST(RankOutliers, FewRanksSayNothingAboutWhatIsUsual) {
  const auto plant = [](int rank, RankWork& work) { work.computes += rank == 1 ? 2'000'000 : 0; };
  EXPECT_TRUE(rank_outliers_table(job_of(4, plant)).empty());
  EXPECT_EQ(rank_outliers_table(job_of(6, plant)).row_count(), 1u);
}

TEST(RankOutliers, RegularButTinyDeviationsAreNone) {
  EXPECT_TRUE(rank_outliers_table(job_of(40, [](int rank, RankWork& work) {
                work.computes += rank == 17 ? 150'000 : 0;
              })).empty());
}

TEST(RankOutliers, AnyOrderAnyGroupingAndThroughBytes) {
  const Session session = job_of(40, [](int rank, RankWork& work) {
    work.loads += rank / 2 == 5 ? 3'000'000 : 0;
    work.computes += rank == 17 ? 1'000'000 : 0;
    work.moves += rank / 2 == 3 ? 900'000 : 0;
  });
  const SessionFacts facts(session);
  const Analysis& analysis = find_analysis("rank_outliers");
  const Table expected = make_table(analysis, facts);
  ASSERT_EQ(expected.row_count(), 3u);
  std::mt19937_64 random(3);
  for (int way = 0; way < 10; ++way) EXPECT_EQ(folded(analysis, {}, facts, random), expected);
}

}  // namespace
}  // namespace cgpu
