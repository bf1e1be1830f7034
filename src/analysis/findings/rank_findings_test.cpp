// Findings of ranks whose timelines have been released: what was planted is said, with what it saves.
#include "analysis/findings/rank_findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

constexpr int64_t kUs = 1000;
constexpr int kJobSteps = 5;
constexpr int kOnMachine = 8;

/// What a rank does in a step of 6 ms.
struct StepWork {
  int64_t loads = 1000 * kUs;
  int64_t computes = 4000 * kUs;
  int64_t idles = 0;          // that much more nobody knows why
  int64_t meets = 200 * kUs;  // its machine, from when the last rank of it has come
};

/// Ranks of machines that meet first their machine and then all others.
Session job_of_machines(int ranks, const std::function<void(int rank, StepWork&)>& plant) {
  std::mt19937_64 random(1);
  const auto about = [&](int64_t time) {
    return time + std::uniform_int_distribution<int64_t>(-time / 100, time / 100)(random);
  };
  std::vector<TestRun> runs;
  for (int rank = 0; rank < ranks; ++rank) {
    runs.emplace_back(rank);
    runs.back().run.host = "node" + std::to_string(rank / kOnMachine);
    runs.back().run.file = "rank" + std::to_string(rank) + ".json";
  }
  const auto meet = [&](int first, int end, const std::string& group, int64_t takes, std::vector<int64_t>& now) {
    const int64_t done = *std::max_element(now.begin() + first, now.begin() + end) + takes;
    for (int rank = first; rank < end; ++rank) {
      int64_t& at = now[static_cast<size_t>(rank)];
      TestRun& run = runs[static_cast<size_t>(rank)];
      Timeline& timeline = run.run.timeline;
      const SliceIndex op = run.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", at, done - at,
                                       {0, 20, OpKind::communication, KernelClass::collective, kNone});
      timeline.collectives.push_back(
          {.slice = op, .name = timeline.names.intern("allreduce"), .group = timeline.names.intern(group)});
      at = done;
    }
  };
  std::vector<int64_t> now(static_cast<size_t>(ranks), 1'000'000);
  for (int step = 0; step < kJobSteps; ++step) {
    std::vector<StepWork> works;
    for (int rank = 0; rank < ranks; ++rank) {
      StepWork& work = works.emplace_back();
      plant(rank, work);
      TestRun& run = runs[static_cast<size_t>(rank)];
      int64_t& at = now[static_cast<size_t>(rank)];
      const int64_t loaded = at + about(work.loads);
      run.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(step), at, loaded - at + 30 * kUs);
      run.host(SliceKind::annotation, "enumerate(DataLoader)", at, loaded - at);
      const SliceIndex call = run.host(kCall, "cudaLaunchKernel", loaded, 5 * kUs);
      const int64_t takes = about(work.computes);
      run.kernel("gemm", loaded + 5 * kUs, takes, launched_by(call));
      at = loaded + 5 * kUs + takes + work.idles;
    }
    for (int first = 0; first < ranks; first += kOnMachine) {
      meet(first, std::min(first + kOnMachine, ranks), "machine" + std::to_string(first),
           works[static_cast<size_t>(first)].meets, now);
    }
    meet(0, ranks, "all", 600 * kUs, now);
  }
  Session session;
  for (TestRun& run : runs) session.runs.push_back(std::move(run.run));
  return session;
}

Diagnosis diagnosis_of(const Session& session) {
  const SessionFacts facts(session);
  return diagnose_ranks(facts, rank_outliers_table(session), gpu_time_table(session));
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RankFindings, NoneOfEqualRanks) {
  for (const int ranks : {2, 3, 24, 40}) {
    EXPECT_TRUE(diagnosis_of(job_of_machines(ranks, [](int, StepWork&) {})).findings.empty()) << ranks;
  }
}

TEST(RankFindings, ARankWhoseKernelsTakeLonger) {
  const Diagnosis found =
      diagnosis_of(job_of_machines(40, [](int rank, StepWork& work) { work.computes += rank == 17 ? 2000 * kUs : 0; }));
  ASSERT_EQ(found.findings.size(), 1u);
  const Finding& finding = found.findings.front();
  EXPECT_EQ(finding.rule, "straggler");
  EXPECT_EQ(finding.severity, Severity::critical);
  EXPECT_TRUE(says(finding.title, "Rank 17 on node2: kernels take ")) << finding.title;
  EXPECT_EQ(finding.rank, 17);
  EXPECT_EQ(finding.device, 0);
  EXPECT_EQ(finding.command, "rank17.json");
  EXPECT_EQ(found.steps, kJobSteps - 1);
  EXPECT_NEAR(static_cast<double>(*finding.recoverable), (kJobSteps - 1) * 2e6, 4e5);
  EXPECT_NEAR(static_cast<double>(found.measured), (kJobSteps - 1) * 7.85e6, 4e5);
  EXPECT_LE(*finding.recoverable_low, *finding.recoverable);
  EXPECT_EQ(finding.together, finding.recoverable);
}

TEST(RankFindings, AMachineWithASlowLinkWaitsForNobody) {
  const Diagnosis found = diagnosis_of(
      job_of_machines(40, [](int rank, StepWork& work) { work.meets += rank / kOnMachine == 3 ? 1000 * kUs : 0; }));
  ASSERT_EQ(found.findings.size(), 1u);
  const Finding& finding = found.findings.front();
  EXPECT_EQ(finding.rule, "slow_link");
  EXPECT_TRUE(says(finding.title, "ranks 24-31 on node3 do not wait for others, but transfer 1.00 ms longer"))
      << finding.title;
  EXPECT_TRUE(says(finding.evidence, "allreduce of 8 devices of one machine: 1.20 ms")) << finding.evidence;
  EXPECT_NEAR(static_cast<double>(*finding.recoverable), (kJobSteps - 1) * 1e6, 2e5);
}

TEST(RankFindings, AStageOfAPipelineWithMoreWork) {
  Session session =
      job_of_machines(48, [](int rank, StepWork& work) { work.computes += rank / 16 == 2 ? 1000 * kUs : 0; });
  for (cgpu::Run& run : session.runs) {
    run.rank_known = true;
    run.groups = {{"line", "pp", "nccl", 3, {run.rank % 16, run.rank % 16 + 16, run.rank % 16 + 32}}};
  }
  const Diagnosis found = diagnosis_of(session);
  ASSERT_EQ(found.findings.size(), 1u);
  const Finding& finding = found.findings.front();
  EXPECT_EQ(finding.rule, "stage_imbalance");
  EXPECT_TRUE(says(finding.title, "Ranks 32-47 of pipeline stage 2: kernels take 1.0")) << finding.title;
  EXPECT_TRUE(says(finding.suggestion, "Move layers")) << finding.suggestion;
}

TEST(RankFindings, WhatOthersHideGivesNothingBackByItself) {
  const Diagnosis found = diagnosis_of(job_of_machines(40, [](int rank, StepWork& work) {
    work.loads += rank / kOnMachine == 1 ? 3000 * kUs : 0;
    work.computes += rank == 30 || rank == 33 ? 1000 * kUs : 0;
  }));
  ASSERT_EQ(found.findings.size(), 2u);
  const Finding& first = found.findings[0];
  EXPECT_TRUE(says(first.title, "Ranks 8-15 on node1: data loading takes ")) << first.title;
  EXPECT_NEAR(static_cast<double>(*first.recoverable), (kJobSteps - 1) * 2e6, 4e5);
  const Finding& second = found.findings[1];
  EXPECT_TRUE(says(second.title, "Ranks 30,33, each by itself: kernels take up to ")) << second.title;
  EXPECT_TRUE(says(second.evidence, "saves nothing before")) << second.evidence;
  EXPECT_NEAR(static_cast<double>(*second.recoverable), (kJobSteps - 1) * 1e6, 4e5);
  EXPECT_LT(*second.recoverable_low, 100 * kUs);
  EXPECT_NEAR(static_cast<double>(*second.together), (kJobSteps - 1) * 3e6, 4e5);
}

TEST(RankFindings, TwoThatHideEachOtherAreBothTold) {
  const Diagnosis found = diagnosis_of(job_of_machines(40, [](int rank, StepWork& work) {
    work.loads += rank / kOnMachine == 1 ? 1000 * kUs : 0;
    work.computes += rank == 30 ? 900 * kUs : 0;
  }));
  ASSERT_EQ(found.findings.size(), 2u);
  for (const Finding& finding : found.findings) EXPECT_EQ(finding.severity, Severity::warning) << finding.title;
  EXPECT_TRUE(says(found.findings[0].evidence, "saves little before")) << found.findings[0].evidence;
  EXPECT_TRUE(says(found.findings[1].evidence, "saves nothing before")) << found.findings[1].evidence;
  EXPECT_NEAR(static_cast<double>(*found.findings[1].together), (kJobSteps - 1) * 1e6, 3e5);
}

TEST(RankFindings, ALateRankOfTwoIsNamedWithoutAReason) {
  const Diagnosis found =
      diagnosis_of(job_of_machines(2, [](int rank, StepWork& work) { work.idles += rank == 1 ? 2000 * kUs : 0; }));
  ASSERT_EQ(found.findings.size(), 1u);
  const Finding& finding = found.findings.front();
  EXPECT_EQ(finding.rule, "straggler");
  EXPECT_TRUE(says(finding.title, "Rank 1 comes late to collectives")) << finding.title;
  EXPECT_EQ(finding.confidence, Confidence::low);
  EXPECT_GT(*finding.recoverable, 4'000 * kUs);
}

TEST(RankFindings, WithoutCollectivesNobodyIsKnownToWait) {
  Session session = job_of_machines(24, [](int rank, StepWork& work) { work.computes += rank == 17 ? 2000 * kUs : 0; });
  for (cgpu::Run& run : session.runs) {
    run.timeline.collectives.clear();
    for (uint8_t& each : run.timeline.device_ops.kernel_class) each = static_cast<uint8_t>(KernelClass::gemm);
    for (OpKind& kind : run.timeline.device_ops.kind) kind = OpKind::compute;
  }
  const Diagnosis found = diagnosis_of(session);
  for (const Finding& finding : found.findings) {
    EXPECT_EQ(finding.severity, Severity::info) << finding.title;
    EXPECT_FALSE(finding.recoverable) << finding.title;
  }
}

}  // namespace
}  // namespace cgpu
