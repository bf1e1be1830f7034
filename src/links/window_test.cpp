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
      RunBuilder part = random_run(seed);
      select_window(part.run, begin, begin + 23);
      parts += total(part.run);
      const Slices& s = part.run.timeline.slices;
      for (SliceIndex i = 0; i < s.size(); ++i) {
        EXPECT_GE(s.start[i], begin);
        EXPECT_LE(s.end(i), begin + 23);
      }
    }
    EXPECT_EQ(parts, whole) << seed;
  }
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
  select_window(b.run, 30, 65);
  const Timeline& t = b.run.timeline;
  ASSERT_EQ(t.slices.size(), 4u);
  EXPECT_EQ(t.name(0), "step");
  EXPECT_EQ(t.slices.start[0], 30);
  EXPECT_EQ(t.slices.duration[0], 35);
  EXPECT_EQ(t.slices.parent[1], 0u);
  EXPECT_EQ(t.slices.launch[t.device_ops.slice[0]], kNone);
  EXPECT_EQ(t.slices.launch[t.device_ops.slice[1]], 1u);
  EXPECT_EQ(b.run.notes.count("launch_outside_window"), 1);
  EXPECT_EQ(b.run.notes.count("outside_window"), 1);
  EXPECT_EQ(b.run.notes.count("clipped"), 2);
}

}  // namespace
}  // namespace cgpu
