#include "analysis/call_tree/stack_tree.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "links/test_run.h"

namespace cgpu {
namespace {

/// By slice, of slices that each have a name of their own: their nodes are theirs alone.
std::vector<int64_t> self_times(const Timeline& timeline) {
  StackTree tree;
  StackFolder folder(tree, StepFrames::apart);
  std::vector<int64_t> of_node(timeline.slices.size(), 0);
  folder.fold_host(
      timeline, [](uint32_t, SliceIndex) {}, [&](uint32_t node, int64_t ns) { of_node.at(node) += ns; });
  std::vector<int64_t> self;
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    self.push_back(is_plausible(timeline, slice) ? of_node[folder.node_of(slice)] : 0);
  }
  return self;
}

/// Each moment to the slice of the thread that comes last in the order of nesting, of those that it lies in.
std::vector<int64_t> slow_self_times(const Timeline& t, int64_t end) {
  const Slices& s = t.slices;
  std::vector<int64_t> self(s.size(), 0);
  for (TrackIndex track = 0; track < t.tracks.size(); ++track) {
    for (int64_t moment = 0; moment < end; ++moment) {
      SliceIndex owner = kNone;
      for (SliceIndex i = 0; i < s.size(); ++i) {
        if (s.track[i] != track || s.start[i] > moment || s.end(i) <= moment || !is_plausible(t, i)) continue;
        const auto place = [&](SliceIndex k) { return std::tuple(s.start[k], -s.duration[k], k); };
        if (owner == kNone || place(i) > place(owner)) owner = i;
      }
      if (owner != kNone) ++self[owner];
    }
  }
  return self;
}

TEST(HostSelfTimes, EqualTheSlowWayWhetherSlicesNestOrNot) {
  std::mt19937 random(7);
  int nested = 0;
  for (int round = 0; round < 400; ++round) {
    test::RunBuilder b;
    const int count = 1 + static_cast<int>(random() % (round % 2 == 0 ? 5 : 30));
    for (int i = 0; i < count; ++i) {
      const int64_t start = random() % 30;
      b.add(SliceKind::framework_op, std::to_string(i), start, start + random() % 12, random() % 2);
    }
    b.finish();
    if (round % 10 == 0) b.run.timeline.slices.flags[0] |= kImplausibleTime;
    nest_host_slices(b.run.timeline);
    nested += b.run.timeline.tracks[0].nested ? 1 : 0;
    EXPECT_EQ(self_times(b.run.timeline), slow_self_times(b.run.timeline, 50)) << "round " << round;
  }
  EXPECT_GT(nested, 50);
  EXPECT_LT(nested, 350);
}

TEST(HostSelfTimes, WorkHandedOverToAnotherThreadIsNotTakenFromThisOne) {
  test::RunBuilder b;
  const SliceIndex backward = b.add(SliceKind::framework_op, "backward", 0, 20);
  const SliceIndex op = b.add(SliceKind::framework_op, "op", 5, 15, 1);
  b.finish();
  nest_host_slices(b.run.timeline);
  b.run.timeline.slices.parent[op] = backward;
  EXPECT_EQ(self_times(b.run.timeline), (std::vector<int64_t>{20, 10}));
}

TEST(HostSelfTimes, NothingIsTakenFromASliceThatDoesNotCount) {
  test::RunBuilder b;
  b.add(SliceKind::framework_op, "weeks", 0, 1000);
  b.add(SliceKind::framework_op, "op", 10, 20);
  b.finish();
  b.run.timeline.slices.flags[0] |= kImplausibleTime;
  nest_host_slices(b.run.timeline);
  b.run.timeline.slices.parent[1] = 0;
  EXPECT_EQ(self_times(b.run.timeline), (std::vector<int64_t>{0, 10}));

  for (const ThreadFrames threads : {ThreadFrames::merged, ThreadFrames::apart}) {
    StackTree tree;
    StackFolder folder(tree, StepFrames::apart, threads);
    int64_t sum = 0;
    folder.fold_host(
        b.run.timeline, [](uint32_t, SliceIndex) {},
        [&](uint32_t node, int64_t ns) {
          ASSERT_LT(node, tree.nodes.size());
          sum += ns;
        });
    EXPECT_EQ(sum, 10);
  }
}

TEST(StackFolder, FoldsMoreNodesThanFitIntoTwoBytes) {
  constexpr SliceIndex kCount = 70'000;
  test::RunBuilder b;
  for (SliceIndex i = 0; i < kCount; ++i) {
    b.add(SliceKind::framework_op, std::to_string(i / 2), int64_t{i} * 10, int64_t{i} * 10 + 5, i % 2);
  }
  b.finish();
  nest_host_slices(b.run.timeline);
  for (SliceIndex i = 1; i < kCount; i += 2) b.run.timeline.slices.parent[i] = i - 1;  // handed over: a node below
  StackTree tree;
  StackFolder folder(tree, StepFrames::apart);
  folder.fold_host(b.run.timeline, [&](uint32_t node, SliceIndex) { ++tree.nodes[node].count; });
  ASSERT_EQ(tree.nodes.size(), kCount);
  for (SliceIndex i = 0; i < kCount; ++i) {
    const StackTree::Node& node = tree.nodes[folder.node_of(i)];
    ASSERT_EQ(tree.names[node.name], std::to_string(i / 2));
    ASSERT_EQ(node.parent, i % 2 == 0 ? StackTree::kRoot : folder.node_of(i - 1));
    ASSERT_EQ(node.count, 1U);
  }
}

}  // namespace
}  // namespace cgpu
