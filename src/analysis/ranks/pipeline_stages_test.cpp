// Stages of pipelines: as profiles describe them, and from who passes work to whom.
#include "analysis/ranks/pipeline_stages.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

using Stages = std::vector<std::optional<int64_t>>;

/// One op of a rank: whom it receives from and whom it sends to, -1 for nobody.
using Passing = std::pair<int32_t, int32_t>;

Session ranks_that_pass(const std::vector<std::vector<Passing>>& of_ranks) {
  Session session;
  for (size_t rank = 0; rank < of_ranks.size(); ++rank) {
    TestRun run(static_cast<int64_t>(rank));
    run.run.rank_known = true;
    for (size_t i = 0; i < of_ranks[rank].size(); ++i) {
      const SliceIndex slice = run.kernel("ncclDevKernel_SendRecv(x)", static_cast<int64_t>(100 * i), 50);
      const auto& [from, to] = of_ranks[rank][i];
      if (from >= 0) run.run.timeline.collectives.push_back({.slice = slice, .from = from});
      if (to >= 0) run.run.timeline.collectives.push_back({.slice = slice, .to = to});
    }
    session.runs.push_back(std::move(run.run));
  }
  return session;
}

Stages stages_of(const Session& session, int64_t since = 0) {
  std::vector<PassedWork> passed;
  for (const cgpu::Run& run : session.runs) passed.push_back(passed_work(run, since));
  return pipeline_stages(session, passed);
}

TEST(PipelineStages, AChainForwardAndBack) {
  EXPECT_EQ(stages_of(ranks_that_pass({{{-1, 1}, {1, -1}}, {{0, -1}, {-1, 2}, {2, -1}, {-1, 0}}, {{1, -1}, {-1, 1}}})),
            (Stages{0, 1, 2}));
}

TEST(PipelineStages, TwoPipelinesWhoseRanksAreInAnyOrder) {
  EXPECT_EQ(
      stages_of(ranks_that_pass({{{4, -1}}, {{3, -1}, {-1, 5}}, {{-1, 4}}, {{-1, 1}}, {{2, -1}, {-1, 0}}, {{1, -1}}})),
      (Stages{2, 1, 0, 0, 1, 2}));
}

TEST(PipelineStages, BatchesAfterTheFirstOp) {
  EXPECT_EQ(stages_of(ranks_that_pass({{{-1, 1}, {1, 1}, {1, -1}}, {{0, -1}, {2, 2}, {0, 0}}, {{1, -1}, {1, 1}}})),
            (Stages{0, 1, 2}));
}

TEST(PipelineStages, ARingIsNone) {
  EXPECT_EQ(stages_of(ranks_that_pass({{{3, 1}}, {{0, 2}}, {{1, 3}}, {{2, 0}}})), Stages(4)) << "all at once";
  EXPECT_EQ(
      stages_of(ranks_that_pass({{{-1, 1}, {3, -1}}, {{0, -1}, {-1, 2}}, {{-1, 3}, {1, -1}}, {{2, -1}, {-1, 0}}})),
      Stages(4))
      << "one half after the other";
}

TEST(PipelineStages, NeighboursThatExchangeBordersAreNone) {
  EXPECT_EQ(stages_of(ranks_that_pass({{{1, 1}}, {{0, 0}, {2, 2}}, {{1, 1}}})), Stages(3)) << "both ways at once";
  EXPECT_EQ(stages_of(ranks_that_pass({{{-1, 1}}, {{-1, 2}, {0, -1}}, {{1, -1}}})), Stages(3)) << "all send first";
}

TEST(PipelineStages, OfTwoRanksItCannotBeTold) {
  EXPECT_EQ(stages_of(ranks_that_pass({{{-1, 1}, {1, -1}}, {{0, -1}, {-1, 0}}})), Stages(2));
}

TEST(PipelineStages, NotOfAChainWithARankMissing) {
  EXPECT_EQ(stages_of(ranks_that_pass({{{-1, 1}}, {{0, -1}, {-1, 2}}, {{1, -1}, {-1, 3}}})), Stages(3));
  EXPECT_EQ(stages_of(ranks_that_pass({})), Stages());
}

TEST(PipelineStages, TheFirstOpIsThatOfTheIterationsThatCount) {
  const Session session =
      ranks_that_pass({{{1, -1}, {-1, 1}}, {{-1, 0}, {0, -1}, {-1, 2}}, {{-1, 1}, {1, -1}}});  // begins with gradients
  EXPECT_EQ(stages_of(session), Stages(3));
  EXPECT_EQ(stages_of(session, 100), (Stages{0, 1, 2}));
}

TEST(PipelineStages, WhatProfilesDescribeGoesFirst) {
  Session session = ranks_that_pass({{{-1, 1}}, {{0, -1}, {-1, 2}}, {{1, -1}}, {}});
  for (cgpu::Run& run : session.runs) run.groups = {{"9", "mesh_pp", "nccl", 2, {run.rank % 2, run.rank % 2 + 2}}};
  EXPECT_EQ(stages_of(session), (Stages{0, 0, 1, 1}));
  session.runs[0].groups.push_back({"10", "pp", "nccl", 2, {0, 2}});
  session.runs[1].groups.push_back({"10", "pp", "nccl", 2, {0, 1}});
  EXPECT_EQ(stages_of(session), (Stages{0, std::nullopt, 1, 1})) << "one place twice, two places";
}

TEST(PipelineStages, APipelineOfOneRankIsNone) {
  Session session = ranks_that_pass({{}, {}});
  for (cgpu::Run& run : session.runs) run.groups = {{"9", "pp", "hccl", 1, {run.rank}}};
  EXPECT_EQ(stages_of(session), Stages(2));
}

}  // namespace
}  // namespace cgpu
