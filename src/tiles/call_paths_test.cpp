#include "tiles/call_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "tiles/lanes/call_path_lane.h"
#include "tiles/lanes/lane_sources.h"
#include "tiles/slow_raster.h"
#include "tiles/test_call_paths.h"
#include "tiles/timeline_view.h"

namespace cgpu {
namespace {

/// Start, end, samples, first sample, and the path down to the frame.
using Box = std::tuple<int64_t, int64_t, uint32_t, SliceIndex, std::vector<NodeIndex>>;

std::vector<NodeIndex> path_to(const CallTree& tree, NodeIndex node) {
  std::vector<NodeIndex> path;
  for (; tree.nodes.parent[node] != kNoNode; node = tree.nodes.parent[node]) {
    const NodeKind kind = tree.nodes.kind[node];
    if (kind == NodeKind::function || kind == NodeKind::entry) path.insert(path.begin(), node);
  }
  return path;
}

std::vector<SliceIndex> all_slices(const Run& run) {
  std::vector<SliceIndex> slices(run.timeline.slices.size());
  std::iota(slices.begin(), slices.end(), SliceIndex{0});
  return slices;
}

/// Every path is written down; equal beginnings of neighbours are joined lane by lane. By lane and start.
std::vector<std::vector<Box>> slow_boxes(const Run& run, size_t lanes) {
  const CallTree& tree = *run.call_tree;
  std::vector<std::vector<Box>> boxes(lanes);
  for (size_t lane = 0; lane < lanes; ++lane) {
    bool joins = false;  // the sample before has a frame on this lane
    for (SliceIndex slice = 0; slice < run.timeline.slices.size(); ++slice) {
      const NodeIndex node = tree.sampled_nodes->node_of(run.timeline.slices.source[slice]);
      std::vector<NodeIndex> path = node == kNoNode ? std::vector<NodeIndex>() : path_to(tree, node);
      if (path.size() <= lane) {
        if (node != kNoNode || run.timeline.slices.duration[slice] > 0) joins = false;
        continue;
      }
      path.resize(lane + 1);
      const int64_t start = run.timeline.slices.start[slice];
      const int64_t end = run.timeline.slices.end(slice);
      if (joins && std::get<1>(boxes[lane].back()) == start && std::get<4>(boxes[lane].back()) == path) {
        std::get<1>(boxes[lane].back()) = end;
        ++std::get<2>(boxes[lane].back());
      } else {
        boxes[lane].emplace_back(start, end, 1, slice, path);
      }
      joins = true;
    }
  }
  return boxes;
}

TEST(CallPaths, AreThoseOfEverySampleJoinedWhereTheyAreEqual) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const TestRun test = test::sampled_run(seed, 2 + seed % 60, 1 + seed % 4, 1 + static_cast<int>(seed % 90));
    const CallTree& tree = *test.run.call_tree;
    const Frames frames(tree);
    const auto samples = path_samples(test.run.timeline, tree, all_slices(test.run));
    const PathExtent extent = path_extent(frames, samples);
    const CallPaths paths = call_paths(frames, samples, extent);
    std::vector<std::vector<Box>> found(extent.lanes);
    for (SliceIndex box = 0; box < paths.slices.size(); ++box) {
      const NodeIndex frame = paths.slices.name[box];
      const int64_t start = paths.slices.start[box];
      found[paths.lane[box]].emplace_back(start, start + paths.slices.duration[box], paths.samples[box],
                                          paths.slices.origin[box], path_to(tree, frame));
      const SliceIndex caller = paths.parent[box];
      EXPECT_EQ(caller == kNone, paths.lane[box] == 0);
      if (caller == kNone) continue;
      EXPECT_EQ(paths.lane[caller] + 1, paths.lane[box]);
      EXPECT_EQ(paths.slices.name[caller], frames.caller(frame));
      EXPECT_LE(paths.slices.start[caller], start);
      EXPECT_GE(paths.slices.start[caller] + paths.slices.duration[caller], start + paths.slices.duration[box]);
    }
    EXPECT_EQ(paths.slices.size(), extent.boxes);
    EXPECT_EQ(found, slow_boxes(test.run, extent.longest)) << "seed " << seed;

    SliceIndex visited = 0;
    for_each_box(frames, samples, extent.lanes, [&](SliceIndex box, NodeIndex frame, int64_t start) {
      EXPECT_EQ(box, visited++);
      EXPECT_EQ(frame, paths.slices.name[box]);
      EXPECT_EQ(start, paths.slices.start[box]);
    });
    EXPECT_EQ(visited, extent.boxes);
  }
}

TEST(CallPaths, ShowTheOutermostFramesThatAreWithinTheLimits) {
  TestRun test;
  CallTree& tree = test.run.call_tree.emplace();
  NodeIndex at = test::add_node(tree, kNoNode, NodeKind::root, "");
  for (int i = 0; i < 100; ++i) at = test::add_node(tree, at, NodeKind::function, "recursive");
  tree.sampled_nodes = std::make_shared<test::NumberedNodes>(tree.nodes.size());
  test::add_sample(test, 0, 10, at);
  test::add_sample(test, 10, 10, 70);
  test::add_sample(test, 20, 10, 3);
  test::add_sample(test, 30, 10, at);
  const Frames frames(tree);
  const auto samples = path_samples(test.run.timeline, tree, all_slices(test.run));
  const PathExtent extent = path_extent(frames, samples);
  EXPECT_EQ(extent.longest, 100U);
  EXPECT_EQ(extent.lanes, kMostPathLanes);
  EXPECT_EQ(extent.boxes, 3 + 2 * (kMostPathLanes - 3));
  EXPECT_EQ(call_paths(frames, samples, extent).slices.size(), extent.boxes);

  const PathExtent few = path_extent(frames, samples, 8);
  EXPECT_EQ(few.lanes, 5U);
  EXPECT_EQ(few.boxes, 7U);
  EXPECT_EQ(call_paths(frames, samples, few).slices.size(), 7U);
  EXPECT_EQ(path_extent(frames, samples, 0).lanes, 1U);

  const Session session = session_of(std::move(test));
  const SessionFacts facts(session);
  const TimelineView view(facts);
  ASSERT_EQ(view.tracks().size(), 2U);
  EXPECT_EQ(view.tracks()[1].name, "thread 1 call path (outermost 64 of 100 frames)");
  EXPECT_EQ(view.tracks()[1].lanes, kMostPathLanes);
  const auto& lane = dynamic_cast<const CallPathLane&>(*view.source(view.tracks()[1]));
  EXPECT_EQ(lane.innermost_box(view, 0, 0)->lane, kMostPathLanes - 1);
  EXPECT_EQ(lane.innermost_box(view, 0, 2)->lane, 2U);
}

TEST(CallPaths, OfASampleThatGoesBackInTimeDoNotOverlap) {
  TestRun test = test::sampled_run(1, 20, 3, 0);
  test::add_sample(test, 10, 0, 19);
  test::add_sample(test, 5, 25, 18);
  test::add_sample(test, 30, 5, 17);
  const auto samples = path_samples(test.run.timeline, *test.run.call_tree, all_slices(test.run));
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0].time, (Interval{5, 10}));
  EXPECT_EQ(samples[1].time, (Interval{10, 10}));
  EXPECT_EQ(samples[2].time, (Interval{30, 35}));
}

/// The longest of the boxes that intersect each bucket, the earliest of these.
TEST(CallPaths, HaveTilesAndKeepThoseOfTheSamples) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    TestRun test = test::sampled_run(seed, 40, 2, 60);
    TestRun without = test::sampled_run(seed, 40, 2, 60);
    without.run.call_tree->sampled_nodes = nullptr;
    const Session session = session_of(std::move(test));
    const Session plain = session_of(std::move(without));
    const SessionFacts facts(session);
    const SessionFacts plain_facts(plain);
    const TimelineView view(facts);
    const TimelineView plain_view(plain_facts);
    ASSERT_EQ(plain_view.tracks().size(), 1U);
    ASSERT_EQ(view.tracks().size(), 2U);
    const ViewTrack& track = view.tracks()[1];
    ASSERT_EQ(track.lane->kind, "call_path");
    EXPECT_EQ(track.samples, 0U);
    EXPECT_EQ(*track.lanes, std::max<uint32_t>(view.lanes(1).lanes(), 1));
    EXPECT_EQ(*track.slices, view.lanes(1).slices());
    const CallPaths& paths = view.derived_as<CallPaths>(1);
    const auto& lane = dynamic_cast<const CallPathLane&>(*view.source(track));
    for (const TilePlace place : {TilePlace{0, 0}, TilePlace{3, 0}, TilePlace{6, 0}}) {
      EXPECT_EQ(view.tile(0, place), plain_view.tile(0, place));
      EXPECT_FALSE(view.tile(1, place).empty());
      for (uint32_t number = 0; number < view.lanes(1).lanes(); ++number) {
        for (const TileEntry& entry : tile_of_lane(view.lanes(1).lane(number), place)) {
          for (int bucket = entry.from; bucket < entry.to; ++bucket) {
            SliceIndex longest = kNone;
            for (SliceIndex box = 0; box < paths.slices.size(); ++box) {
              const int64_t start = paths.slices.start[box] - view.zero(0);
              const int64_t end = start + paths.slices.duration[box];
              if (paths.lane[box] != number || start >= place.edge(bucket + 1)) continue;
              if (end <= place.edge(bucket) && start < place.edge(bucket)) continue;
              if (longest == kNone || paths.slices.duration[box] > paths.slices.duration[longest]) longest = box;
            }
            EXPECT_EQ(entry.slice, longest) << "seed " << seed << ", lane " << number << ", bucket " << bucket;
          }
        }
      }
    }
    const auto& run = session.runs[0];
    for (SliceIndex slice = 0; slice < run.timeline.slices.size(); ++slice) {
      const NodeIndex node = lane.node_of(0, slice);
      const auto path = node == kNoNode ? std::vector<NodeIndex>() : path_to(*run.call_tree, node);
      const std::optional<SlicePosition> box = lane.innermost_box(view, 0, slice);
      ASSERT_EQ(box.has_value(), !path.empty()) << "seed " << seed << ", slice " << slice;
      if (!box) continue;
      EXPECT_EQ(paths.slices.name[box->slice], path.back());
      EXPECT_EQ(view.names()[box->name], run.call_tree->name_of(path.back()));
      EXPECT_EQ(slice_kinds()[view.style(1, box->slice).colour >> 8].name,
                text_of(run.call_tree->nodes.kind[path.back()]));
    }
  }
}

TEST(CallPaths, GiveEqualFunctionsOneName) {
  TestRun test = test::sampled_run(3, 60, 3, 20);
  test.run.timeline.slices.name[0] = test.run.timeline.names.intern("f3");
  const Session session = session_of(std::move(test), test::sampled_run(4, 60, 3, 20));
  const SessionFacts facts(session);
  const TimelineView view(facts);
  std::map<std::string_view, uint32_t> number_of;
  for (const ViewTrack& track : view.tracks()) {
    if (track.samples == kNone) continue;
    EXPECT_TRUE(view.source(track)->for_each_name(track, [&](SliceIndex, uint32_t name, int64_t) {
      EXPECT_EQ(number_of.try_emplace(view.names()[name], name).first->second, name);
    }));
  }
  ASSERT_TRUE(number_of.contains("f3"));
  EXPECT_EQ(number_of["f3"], view.style(view.track_of(0, 0), 0).name);
}

}  // namespace
}  // namespace cgpu
