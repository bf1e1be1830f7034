#include "tiles/run_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/random_run.h"
#include "analysis/session_clock.h"
#include "tiles/ops_by_start.h"

namespace cgpu {
namespace {

const std::vector<NamedKind> kVocabulary = {{SliceKind::framework_op, "aten::mm"},
                                            {SliceKind::annotation, "ProfilerStep#1"},
                                            {SliceKind::runtime_call, "cudaLaunchKernel"},
                                            {SliceKind::device_annotation, "range"},
                                            {SliceKind::profiler_span, "PyTorch Profiler"}};

RandomRun random_run(unsigned seed) {
  return RandomRun(seed, kVocabulary, seed % 2 == 0 ? HostShape::nested : HostShape::overlapping);
}

/// A run of a million slices on some tracks, so that it is looked at in several pieces.
TestRun long_run() {
  TestRun run;
  std::mt19937 random(3);
  const std::vector<TrackIndex> tracks = {run.track(TrackKind::host_thread, "1", "1"),
                                          run.track(TrackKind::host_thread, "1", "2"),
                                          run.track(TrackKind::device_stream, "0", "7")};
  for (int i = 0; i < 1'000'000; ++i) {
    const SliceKind kind = i == 700'000 ? SliceKind::annotation : SliceKind::synchronization;
    run.add(kind, "wait", static_cast<int64_t>(random()), static_cast<int64_t>(random() % 1000),
            tracks[random() % tracks.size()]);
  }
  return run;
}

TEST(SliceFacts, AreWhatLookingAtEverySliceFinds) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomRun run = random_run(seed);
    const Timeline& timeline = run.run.timeline;
    const SliceFacts facts(timeline, 0, static_cast<SliceIndex>(timeline.slices.size()));
    std::vector<std::array<std::vector<SliceIndex>, kTrackParts>> slices(timeline.tracks.size());
    bool annotations = false;
    bool projected = false;
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      slices[timeline.slices.track[slice]][static_cast<size_t>(part_of(timeline, slice))].push_back(slice);
      annotations |= timeline.kind(slice) == SliceKind::annotation;
      projected |= timeline.kind(slice) == SliceKind::device_annotation;
    }
    for (TrackIndex track = 0; track < slices.size(); ++track) {
      for (size_t part = 0; part < kTrackParts; ++part) {
        const std::vector<SliceIndex>& expected = slices[track][part];
        const PartFacts& found = facts.parts[track][part];
        EXPECT_EQ(found.slices, expected.size());
        if (expected.empty()) continue;
        EXPECT_EQ(found.first, expected.front());
        EXPECT_EQ(found.last, expected.back());
      }
    }
    EXPECT_EQ(facts.annotations, annotations);
    EXPECT_EQ(facts.projected, projected);
    EXPECT_EQ(facts.extent, extent_of(timeline));
  }
}

TEST(SliceFacts, DoNotDependOnPieces) {
  std::mt19937 random(1);
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomRun run = random_run(seed);
    const Timeline& timeline = run.run.timeline;
    const auto count = static_cast<SliceIndex>(timeline.slices.size());
    std::vector<SliceFacts> pieces;
    for (SliceIndex begin = 0; begin < count;) {
      const SliceIndex end = std::min<SliceIndex>(count, begin + 1 + static_cast<SliceIndex>(random() % 5));
      pieces.emplace_back(timeline, begin, end);
      begin = end;
    }
    std::shuffle(pieces.begin(), pieces.end(), random);
    SliceFacts all(timeline, 0, 0);
    for (const SliceFacts& piece : pieces) all.merge(piece);
    EXPECT_EQ(all, SliceFacts(timeline, 0, count)) << "seed " << seed;
  }
}

TEST(OpFacts, DevicesAndTheirOps) {
  TestRun run;
  const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 0, 5);
  run.kernel("late", 50, 10, {.device = 1, .stream = 1});
  run.kernel("early", 20, 10, {.device = 1, .stream = 2, .launch = call});
  run.kernel("allreduce", 20, 10, {.device = 1, .stream = 1, .kind = OpKind::communication});
  run.implausible(run.kernel("broken", 10, 10, {.device = 3}));
  run.add(SliceKind::synchronization, "wait", 0, 1, run.track(TrackKind::device_stream, "1", "9"));
  const OpFacts facts(run.run.timeline);
  ASSERT_EQ(facts.devices.size(), 1U);
  const DeviceFacts& device = facts.devices.at(1);
  EXPECT_EQ(device.ops, (std::vector<OpIndex>{1, 2, 0}));
  EXPECT_TRUE(device.launched);
  EXPECT_TRUE(device.communication);
  EXPECT_TRUE(facts.in_file_order);
  EXPECT_EQ(facts.device_of[0], std::nullopt);
  EXPECT_EQ(facts.device_of[1], 1);
  EXPECT_EQ(facts.device_of[4], 1);  // where nothing but a wait was recorded

  std::swap(run.run.timeline.device_ops.slice[0], run.run.timeline.device_ops.slice[1]);
  EXPECT_FALSE(OpFacts(run.run.timeline).in_file_order);
}

TEST(RunFacts, AreTheSameForAnyNumberOfThreads) {
  const Session session = session_of(random_run(2), long_run(), random_run(5));
  const std::vector<RunFacts> alone = find_facts(SessionFacts(session), 1);
  ASSERT_EQ(alone.size(), 3U);
  EXPECT_TRUE(alone[1].slices.annotations);
  EXPECT_EQ(alone[1].slices.extent, extent_of(session.runs[1].timeline));
  for (const unsigned threads : {2U, 5U}) {
    const std::vector<RunFacts> facts = find_facts(SessionFacts(session), threads);
    ASSERT_EQ(facts.size(), alone.size());
    for (size_t run = 0; run < facts.size(); ++run) {
      const Timeline& timeline = session.runs[run].timeline;
      EXPECT_EQ(facts[run].slices, alone[run].slices);
      EXPECT_EQ(facts[run].slices, SliceFacts(timeline, 0, static_cast<SliceIndex>(timeline.slices.size())));
      EXPECT_EQ(facts[run].ops, alone[run].ops);
      EXPECT_EQ(facts[run].memory, alone[run].memory);
      EXPECT_EQ(facts[run].steps, alone[run].steps);
    }
  }
}

TEST(OpsByStart, EqualsAStableSort) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const RandomRun run = random_run(seed);
    const Timeline& timeline = run.run.timeline;
    const auto start_of = [&](OpIndex op) { return timeline.slices.start[timeline.device_ops.slice[op]]; };
    std::map<int32_t, std::vector<OpIndex>> expected = ops_by_device(timeline);
    for (auto& [device, ops] : expected) {
      std::stable_sort(ops.begin(), ops.end(), [&](OpIndex a, OpIndex b) { return start_of(a) < start_of(b); });
    }
    EXPECT_EQ(ops_by_start(timeline), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cgpu
