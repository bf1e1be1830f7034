#include "links/complete.h"

#include <gtest/gtest.h>

#include "links/launches.h"
#include "links/test_run.h"
#include "model/unknown_utilization.h"

namespace cgpu {
namespace {

using test::RunBuilder;

cgpu::Run completed(RunBuilder& b) {
  complete(b.run, KernelDictionary());
  return std::move(b.run);
}

TEST(Launches, ByCorrelationTheInnermostCallThatCanLaunch) {
  RunBuilder b;
  b.add(SliceKind::runtime_call, "cudaLaunchKernelExC", 0, 10, 0, 5);
  const auto driver = b.add(SliceKind::driver_call, "cuLaunchKernelEx_v2", 2, 8, 0, 5);
  b.add(SliceKind::driver_call, "cuStreamGetCtx", 3, 4, 0, 5);
  const auto op = b.add_op(SliceKind::kernel, "k", 20, 30, 5);
  const auto second = b.add_op(SliceKind::kernel, "k", 30, 40, 5);  // a graph launch starts several
  const auto orphan = b.add_op(SliceKind::kernel, "k", 40, 50, 6);
  const cgpu::Run run = completed(b);
  EXPECT_EQ(run.timeline.slices.launch[op], driver);
  EXPECT_EQ(run.timeline.slices.launch[second], driver);
  EXPECT_EQ(run.timeline.slices.launch[orphan], kNone);
  EXPECT_EQ(run.notes.count("orphan_device_op"), 1);
  EXPECT_EQ(run.timeline.name(driver), "cuLaunchKernelEx");
}

TEST(Launches, RepeatedIdsTakeTheLastCallBeforeTheOp) {
  RunBuilder b;
  const auto early = b.add(SliceKind::runtime_call, "cudaLaunchKernel", 0, 2, 0, 5);
  b.run.timeline.tracks.resize(4);
  const auto late = b.add(SliceKind::runtime_call, "cudaLaunchKernel", 100, 102, 3, 5);
  const auto a = b.add_op(SliceKind::kernel, "k", 10, 12, 5);
  const auto c = b.add_op(SliceKind::kernel, "k", 110, 112, 5);
  const cgpu::Run run = completed(b);
  EXPECT_EQ(run.timeline.slices.launch[a], early);
  EXPECT_EQ(run.timeline.slices.launch[c], late);
}

TEST(Launches, ByExternalIdAndByFlowWhereThereIsNoCorrelation) {
  RunBuilder b;
  const auto call = b.add(SliceKind::runtime_call, "urEnqueueKernelLaunch", 0, 2);
  const auto call2 = b.add(SliceKind::runtime_call, "runFunction - job", 4, 6);
  const auto op = b.add_op(SliceKind::kernel, "k", 10, 12, kNoCorrelation);
  const auto op2 = b.add_op(SliceKind::kernel, "k", 14, 16, 0);
  auto& hints = b.run.timeline.hints;
  hints.external = {{call, 77}, {op, 77}};
  hints.flows = {{9, 4, 0, true, false}, {9, 14, 1, false, false}};
  const cgpu::Run run = completed(b);
  EXPECT_EQ(run.timeline.slices.launch[op], call);
  EXPECT_EQ(run.timeline.slices.launch[op2], call2);
  EXPECT_TRUE(run.timeline.hints.external.empty());
}

TEST(Launches, AProcessIsPartOfAnIdOnlyUntilLaunchesAreLinked) {
  RunBuilder b;
  const int64_t other = int64_t{1} << LinkHints::kProcessOfCorrelation | 5;
  const auto call = b.add(SliceKind::runtime_call, "cudaLaunchKernel", 0, 2, 0, 5);
  const auto later = b.add(SliceKind::runtime_call, "cudaLaunchKernel", 4, 6, 2, other);
  const auto op = b.add_op(SliceKind::kernel, "k", 10, 12, 5);
  const auto op2 = b.add_op(SliceKind::kernel, "k", 14, 16, other);
  const auto without = b.add(SliceKind::runtime_call, "cudaFree", 7, 8);
  b.run.timeline.hints.correlation_has_process = true;
  const cgpu::Run run = completed(b);
  const Slices& slices = run.timeline.slices;
  EXPECT_EQ(slices.launch[op], call);
  EXPECT_EQ(slices.launch[op2], later);
  for (const SliceIndex slice : {call, later, op, op2}) EXPECT_EQ(slices.correlation[slice], 5) << "as in the file";
  EXPECT_EQ(slices.correlation[without], kNoCorrelation);
}

TEST(Launches, OfOneIdInTwoProcessesTheFlowTells) {
  for (const bool flow : {false, true}) {
    RunBuilder b;
    const auto call = b.add(SliceKind::runtime_call, "cudaLaunchKernel", 0, 2, 0, 5);
    const auto later = b.add(SliceKind::runtime_call, "cudaLaunchKernel", 4, 6, 2, 5);
    b.run.timeline.tracks[2].process = "2";
    const auto op = b.add_op(SliceKind::kernel, "k", 10, 12, 5);
    if (flow) b.run.timeline.hints.flows = {{9, 0, 0, true, false}, {9, 10, 1, false, false}};
    EXPECT_EQ(completed(b).timeline.slices.launch[op], flow ? call : later);
  }
}

TEST(Launches, WhatTheProfileSaysOutrightGoesBeforeIds) {
  RunBuilder b;
  const auto said = b.add(SliceKind::runtime_call, "cudaLaunchKernel", 0, 2, 0, 5);
  b.add(SliceKind::runtime_call, "cudaLaunchKernel", 4, 6, 0, 5);
  const auto op = b.add_op(SliceKind::kernel, "k", 10, 12, 5);
  b.run.timeline.hints.launches = {{said, op}};
  EXPECT_EQ(completed(b).timeline.slices.launch[op], said);
}

TEST(Launches, WhichCallsCanLaunch) {
  for (const char* name : {"cudaLaunchKernel", "cuLaunchKernelEx", "hipExtModuleLaunchKernel", "cudaMemcpyAsync",
                           "hipMemcpyWithStream", "cudaMemsetAsync", "cudaGraphLaunch", "runFunction - job_prep",
                           "cudaLaunchCooperativeKernel", "cudaMemPrefetchAsync"}) {
    EXPECT_TRUE(can_launch(name)) << name;
  }
  for (const char* name : {"cudaStreamSynchronize", "cudaEventRecord", "cudaMalloc", "cudaFuncGetAttributes",
                           "cuKernelGetAttribute", "cudaStreamIsCapturing", "cudaGraphAddMemcpyNode"}) {
    EXPECT_FALSE(can_launch(name)) << name;
  }
}

TEST(ForwardBackward, BySequenceNumberOrByFlows) {
  for (const bool flows : {false, true}) {
    RunBuilder b;
    const auto forward_outer = b.add(SliceKind::framework_op, "aten::linear", 0, 10);
    const auto forward = b.add(SliceKind::framework_op, "aten::addmm", 2, 8);
    const auto backward = b.add(SliceKind::framework_op, "autograd: AddmmBackward", 50, 60, 2);
    const auto backward_inner = b.add(SliceKind::framework_op, "AddmmBackward0", 52, 58, 2);
    auto& hints = b.run.timeline.hints;
    hints.sequence = {{forward_outer, false, 3}, {forward, false, 3}, {backward, true, 3}, {backward_inner, true, 3}};
    if (flows) hints.flows = {{1, 2, 0, true, true}, {1, 52, 2, false, true}, {2, 99, 0, false, true}};
    const cgpu::Run run = completed(b);
    ASSERT_EQ(run.timeline.links.size(), 1u);
    EXPECT_EQ(run.timeline.links[0].from, forward);
    EXPECT_EQ(run.timeline.links[0].to, flows ? backward_inner : backward);
    EXPECT_EQ(run.notes.count("unmatched_flow"), flows ? 1 : 0);
  }
}

TEST(DeviceOps, KindsAndClasses) {
  RunBuilder b;
  b.add_op(SliceKind::kernel, "ampere_sgemm_128x64_nn", 0, 1, 1);
  b.add_op(SliceKind::kernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 1, 2, 2);
  b.add_op(SliceKind::kernel, "__amd_rocclr_copyBuffer", 2, 3, 3);
  b.add_op(SliceKind::memset, "Memset (Device)", 3, 4, 4);
  b.add_op(SliceKind::memcpy, "Memcpy HtoD (Pinned -> Device)", 4, 5, 5);
  const cgpu::Run run = completed(b);
  EXPECT_EQ(run.timeline.device_ops.kind, (std::vector<OpKind>{OpKind::compute, OpKind::communication, OpKind::memory,
                                                               OpKind::memory, OpKind::memory}));
  EXPECT_EQ(run.timeline.device_ops.kernel_class[0], static_cast<uint8_t>(KernelClass::gemm));
  EXPECT_EQ(run.timeline.device_ops.kernel_class[3], static_cast<uint8_t>(KernelClass::set));
}

TEST(DeviceOps, NamesAreDemangledAndEqualNamesBecomeOne) {
  RunBuilder b;
  const auto mangled = b.add_op(SliceKind::kernel, "_Z3addPf", 0, 1, 1);
  const auto plain = b.add_op(SliceKind::kernel, "add(float*)", 1, 2, 2);
  const cgpu::Run run = completed(b);
  EXPECT_EQ(run.timeline.name(mangled), "add(float*)");
  EXPECT_EQ(run.timeline.slices.name[mangled], run.timeline.slices.name[plain]);
}

TEST(DeviceOps, ImplausibleDurationsAreFlaggedAndOverlapsCounted) {
  RunBuilder b;
  b.add(SliceKind::runtime_call, "cudaLaunchKernel", 0, 1'000'000, 0, 1);
  const auto huge = b.add_op(SliceKind::kernel, "k", 10, 5'000'000'000'000, 1);
  const auto fine = b.add_op(SliceKind::kernel, "k", 500'000, 900'000'000, 2);
  b.add_op(SliceKind::kernel, "k", 600'000, 900'000'000, 3);
  const cgpu::Run run = completed(b);
  EXPECT_EQ(run.timeline.slices.flags[huge], kImplausibleTime);
  EXPECT_EQ(run.timeline.slices.flags[fine], 0);
  EXPECT_EQ(run.notes.count("implausible_duration"), 1);
  EXPECT_EQ(run.notes.count("overlap_in_stream"), 1);
}

TEST(DeviceOps, AnOpLongBeforeItsLaunchIsFlagged) {
  RunBuilder b;
  SliceIndex early = kNone;
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t time = 10'000'000'000 + i * 1'000;
    const int64_t begin = i == 3 ? 9'000'000'000 : time + 10;
    b.add(SliceKind::runtime_call, "cudaLaunchKernel", time, time + 5, 0, i + 1);
    const auto op = b.add_op(SliceKind::kernel, "k", begin, begin + 100, i + 1);
    if (i == 3) early = op;
  }
  const cgpu::Run run = completed(b);
  for (SliceIndex slice = 0; slice < run.timeline.slices.size(); ++slice) {
    EXPECT_EQ(run.timeline.slices.flags[slice], slice == early ? kImplausibleTime : 0) << slice;
  }
  EXPECT_EQ(run.notes.count("impossible_time"), 1);
}

TEST(DeviceOps, ReplaysOfGraphsWithoutDeviceOpsAreCounted) {
  const auto unrecorded = [](bool other_op) {
    RunBuilder b;
    b.add(SliceKind::runtime_call, "cudaGraphLaunch", 0, 10, 0, 1);
    b.add(SliceKind::runtime_call, "cudaGraphLaunch", 20, 30, 0, 2);
    b.add_op(SliceKind::kernel, "k", 15, 20, 1);
    if (other_op) b.add_op(SliceKind::kernel, "of no launch", 35, 40, 77);
    return completed(b).notes.count("unrecorded_replays");
  };
  EXPECT_EQ(unrecorded(false), 1);
  EXPECT_EQ(unrecorded(true), 0) << "the op may be that of the other replay";
}

TEST(DeviceOps, UtilizationIsUnknownWhereWorkWasNotRecorded) {
  const auto replays = [](int64_t with_kernels, int64_t without) {
    RunBuilder b;
    for (int64_t i = 0; i < with_kernels + without; ++i) {
      b.add(SliceKind::runtime_call, "cudaGraphLaunch", 100 * i, 100 * i + 10, 0, i + 1);
      if (i < with_kernels) b.add_op(SliceKind::kernel, "k", 100 * i + 20, 100 * i + 90, i + 1);
    }
    return why_utilization_is_unknown(completed(b));
  };
  EXPECT_EQ(replays(9, 1), "") << "a tenth is not yet noticeable";
  EXPECT_EQ(replays(8, 2), "the kernels of graphs were not recorded");

  const auto collectives = [](bool with_call, bool with_kernel) {
    RunBuilder b;
    b.add_op(SliceKind::device_collective, "nccl:all_reduce", 0, 10, 1);
    if (with_call) b.add(SliceKind::runtime_call, "cudaLaunchKernel", 0, 5, 0, 9);
    if (with_kernel) b.add_op(SliceKind::kernel, "k", 20, 30, 2);
    return why_utilization_is_unknown(completed(b));
  };
  EXPECT_EQ(collectives(false, false), "only collectives were recorded");
  EXPECT_EQ(collectives(true, false), "");
  EXPECT_EQ(collectives(false, true), "");
}

TEST(DeviceOps, SizesThatNoMachineHasAreNone) {
  constexpr int64_t kMost = int64_t{1} << 45;
  RunBuilder b;
  b.add_op(SliceKind::memcpy, "Memcpy HtoD", 0, 1, 1);
  b.add_op(SliceKind::memcpy, "Memcpy HtoD", 1, 2, 2);
  b.run.timeline.device_ops.bytes[0] = kMost;
  b.run.timeline.device_ops.bytes[1] = kMost + 1;
  b.run.timeline.collectives.push_back({.slice = 0, .elements_in = INT64_MAX, .elements_out = 64});
  b.run.timeline.memory = {
      {0, 512, 512, 1024}, {1, INT64_MIN}, {2, INT64_MAX}, {3, 512, INT64_MAX}, {4, -512, 0, INT64_MAX}};
  b.run.events.memory = 5;
  const cgpu::Run run = completed(b);
  EXPECT_EQ(run.timeline.device_ops.bytes, (std::vector<int64_t>{kMost, -1}));
  EXPECT_EQ(run.timeline.collectives[0].elements_in, -1);
  EXPECT_EQ(run.timeline.collectives[0].elements_out, 64);
  ASSERT_EQ(run.timeline.memory.size(), 1U);
  EXPECT_EQ(run.events.memory, 1);
  EXPECT_EQ(run.events.skipped, 4);
  EXPECT_EQ(run.notes.count("implausible_size"), 6);
}

}  // namespace
}  // namespace cgpu
