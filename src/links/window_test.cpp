#include "links/window.h"

#include <gtest/gtest.h>

#include <random>

#include "links/complete.h"
#include "links/test_run.h"

namespace cgpu {
namespace {

using test::RunBuilder;

RunBuilder random_run(unsigned seed) {
  std::mt19937 random(seed);
  RunBuilder b;
  for (int i = 0; i < 60; ++i) {
    const int64_t start = random() % 100;
    b.add(SliceKind::runtime_call, "cudaLaunchKernel", start, start + random() % 5, 0, i + 1);
    const int64_t begins = start + random() % 20;
    b.add_op(SliceKind::kernel, "k" + std::to_string(i % 3), begins, begins + random() % 15, i + 1, i % 2);
  }
  complete(b.run, KernelDictionary());
  return b;
}

Session cut(Run run, int64_t begin, int64_t end) {
  Session session;
  session.runs.push_back(std::move(run));
  select_windows(session, {{begin, end}});
  return session;
}

int64_t total(const cgpu::Run& run) {
  int64_t sum = 0;
  for (const int64_t duration : run.timeline.slices.duration) sum += duration;
  return sum;
}

TEST(Window, NeighbouringWindowsShareOutEverySliceExactly) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const int64_t whole = total(random_run(seed).run);
    int64_t parts = 0;
    for (int64_t begin = -10; begin < 200; begin += 23) {
      const Session part = cut(random_run(seed).run, begin, begin + 23);
      parts += total(part.runs[0]);
      const Slices& s = part.runs[0].timeline.slices;
      for (SliceIndex i = 0; i < s.size(); ++i) {
        EXPECT_GE(s.start[i], begin);
        EXPECT_LE(s.end(i), begin + 23);
      }
    }
    EXPECT_EQ(parts, whole) << seed;
  }
}

TEST(Window, APartHasTheFactsOfTheRun) {
  cgpu::Run run = random_run(1).run;
  run.number = 3;
  run.claimed_rank = 7;  // another run of the session has it
  const Session part = cut(std::move(run), 10, 20);
  EXPECT_EQ(part.runs[0].number, 3u);
  EXPECT_EQ(recorded_rank(part.runs[0]), 7);
}

TEST(Window, LinksStayTrueOrGo) {
  RunBuilder b;
  b.add(SliceKind::annotation, "step", 0, 100);
  const auto call = b.add(SliceKind::runtime_call, "cudaLaunchKernel", 10, 12, 0, 1);
  b.add(SliceKind::runtime_call, "cudaLaunchKernel", 40, 42, 0, 2);
  b.add_op(SliceKind::kernel, "a", 50, 60, 1);
  b.add_op(SliceKind::kernel, "b", 60, 70, 2);
  complete(b.run, KernelDictionary());
  EXPECT_EQ(b.run.timeline.slices.launch[3], call);
  const Session part = cut(std::move(b.run), 30, 65);
  const Timeline& t = part.runs[0].timeline;
  ASSERT_EQ(t.slices.size(), 4u);
  EXPECT_EQ(t.name(0), "step");
  EXPECT_EQ(t.slices.start[0], 30);
  EXPECT_EQ(t.slices.duration[0], 35);
  EXPECT_EQ(t.slices.parent[1], 0u);
  EXPECT_EQ(t.slices.launch[t.device_ops.slice[0]], kNone);
  EXPECT_EQ(t.slices.launch[t.device_ops.slice[1]], 1u);
  EXPECT_EQ(part.runs[0].notes.count("launch_outside_window"), 1);
  EXPECT_EQ(part.runs[0].notes.count("outside_window"), 1);
  EXPECT_EQ(part.runs[0].notes.count("clipped"), 2);
}

TEST(Window, LeadsToTheWholeAlsoThroughAPart) {
  RunBuilder b;
  const auto call = b.add(SliceKind::runtime_call, "cudaLaunchKernel", 10, 12, 0, 2);
  b.add_op(SliceKind::kernel, "a", 20, 30, 1);
  b.add_op(SliceKind::kernel, "b", 50, 60, 2);
  b.add_op(SliceKind::kernel, "c", 70, 80, 3);
  complete(b.run, KernelDictionary());
  Session session;
  session.runs.emplace_back();
  session.runs.push_back(std::move(b.run));
  session.runs[1].op_graph.emplace();
  select_windows(session, {{0, 100}, {25, 75}});
  select_windows(session, {{0, 100}, {40, 65}});

  ASSERT_TRUE(session.runs[1].part_of);
  EXPECT_TRUE(session.runs[1].op_graph);
  EXPECT_EQ(session.runs[1].part_of->run, 1U);
  EXPECT_EQ(session.runs[1].part_of->ops, (std::vector<uint32_t>{1}));
  EXPECT_EQ(session.runs[1].part_of->slices, (std::vector<SliceIndex>{2}));
  EXPECT_EQ(slice_in_part(session.runs[1], 2), 0U);
  for (const SliceIndex outside : {SliceIndex{0}, SliceIndex{3}, kNone}) {
    EXPECT_EQ(slice_in_part(session.runs[1], outside), kNone);
  }
  EXPECT_EQ(slice_in_part(session.whole->runs[1], 3), 3U);
  ASSERT_TRUE(session.whole);
  EXPECT_FALSE(session.whole->whole);
  const Timeline& whole = session.whole->runs[1].timeline;
  EXPECT_EQ(whole.slices.size(), 4U);
  EXPECT_EQ(whole.slices.launch[whole.device_ops.slice[1]], call);
}

TEST(Window, LeavesOutRunsAndTracks) {
  RunBuilder b = random_run(1);
  const auto session = std::make_shared<Session>();
  session->runs.emplace_back();
  session->runs.push_back(std::move(b.run));
  const auto host_only = [](TrackIndex, SliceKind kind) { return is_call(kind); };
  const Session part = cut_out(session, {std::nullopt, Part{{INT64_MIN, INT64_MAX}, host_only}});
  ASSERT_EQ(part.runs.size(), 1U);
  EXPECT_EQ(part.runs[0].timeline.slices.size(), 60U);
  EXPECT_EQ(part.runs[0].timeline.device_ops.size(), 0U);
  EXPECT_EQ(part.runs[0].part_of->run, 1U);
}

TEST(Window, ChosenDevices) {
  RunBuilder b;
  const auto call = b.add(SliceKind::runtime_call, "cudaLaunchKernel", 10, 12, 0, 1);
  b.add(SliceKind::runtime_call, "cudaLaunchKernel", 13, 15, 0, 2);
  b.add_op(SliceKind::kernel, "a", 20, 30, 1, 0, 7, 1);
  b.add_op(SliceKind::kernel, "b", 20, 60, 2, 1, 7, 2);
  b.add(SliceKind::device_annotation, "layer", 20, 60, 2);  // is with the ops of device 1
  b.run.timeline.memory = {
      {.time = 11, .bytes = 5, .device = 0}, {.time = 12, .bytes = 6, .device = 1}, {.time = 13, .bytes = 7}};
  b.run.devices.resize(2);
  b.run.devices[1].id = 1;
  complete(b.run, KernelDictionary());
  select_devices(b.run, [](int32_t device) { return device == 0; });
  const Timeline& t = b.run.timeline;
  EXPECT_EQ(t.slices.track, (std::vector<TrackIndex>{0, 0, 1}));
  EXPECT_EQ(t.device_ops.device, std::vector<int32_t>{0});
  EXPECT_EQ(t.slices.launch[t.device_ops.slice[0]], call);
  ASSERT_EQ(t.memory.size(), 2U);
  EXPECT_EQ(t.memory[1].device, -1);
  EXPECT_EQ(b.run.devices.size(), 1U);
  EXPECT_EQ(b.run.notes.count("other_device"), 2);
}

}  // namespace
}  // namespace cgpu
