#include "links/nesting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "links/test_run.h"

namespace cgpu {
namespace {

using test::RunBuilder;

TEST(Nesting, InnermostOfTheSameThread) {
  RunBuilder b;
  const auto call = b.add(SliceKind::runtime_call, "call", 12, 14);  // in the file before what encloses it
  const auto outer = b.add(SliceKind::annotation, "outer", 0, 100);
  const auto inner = b.add(SliceKind::framework_op, "inner", 10, 20);
  const auto other = b.add(SliceKind::framework_op, "other thread", 11, 15, 1);
  const auto device = b.add_op(SliceKind::kernel, "k", 11, 13, 1);
  b.finish();
  nest_host_slices(b.run.timeline);
  const auto& parent = b.run.timeline.slices.parent;
  EXPECT_EQ(parent[call], inner);
  EXPECT_EQ(parent[inner], outer);
  EXPECT_EQ(parent[outer], kNone);
  EXPECT_EQ(parent[other], kNone);
  EXPECT_EQ(parent[device], kNone);
}

TEST(Nesting, EqualBoundsEarlierInTheFileIsOutside) {
  RunBuilder b;
  const auto first = b.add(SliceKind::framework_op, "first", 5, 9);
  const auto second = b.add(SliceKind::framework_op, "second", 5, 9);
  const auto point = b.add(SliceKind::framework_op, "point", 9, 9);
  b.finish();
  nest_host_slices(b.run.timeline);
  const auto& parent = b.run.timeline.slices.parent;
  EXPECT_EQ(parent[second], first);
  EXPECT_EQ(parent[first], kNone);
  EXPECT_EQ(parent[point], second) << "microsecond clocks put the last call of an op at its end";
}

/// Of all slices that contain `i`, the one that begins last, is shortest, and comes last in the file before `i`.
SliceIndex slow_parent(const Timeline& t, SliceIndex i) {
  const Slices& s = t.slices;
  SliceIndex best = kNone;
  for (SliceIndex j = 0; j < s.size(); ++j) {
    if (j == i || s.track[j] != s.track[i] || s.start[j] > s.start[i] || s.end(j) < s.end(i)) continue;
    const bool equal = s.start[j] == s.start[i] && s.end(j) == s.end(i);
    if (equal && j > i) continue;
    const auto rank = [&](SliceIndex k) { return std::tuple(s.start[k], -s.end(k), k); };
    if (best == kNone || rank(j) > rank(best)) best = j;
  }
  return best;
}

/// No two slices of a track overlap without one containing the other.
bool all_nest(const Timeline& t, TrackIndex track) {
  const Slices& s = t.slices;
  for (SliceIndex i = 0; i < s.size(); ++i) {
    for (SliceIndex j = 0; j < s.size(); ++j) {
      const bool overlap = s.start[i] < s.start[j] && s.start[j] < s.end(i) && s.end(i) < s.end(j);
      if (overlap && s.track[i] == track && s.track[j] == track) return false;
    }
  }
  return true;
}

TEST(Nesting, EqualsTheSlowWayOnRandomSlicesThatMayOverlap) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    RunBuilder b;
    const int count = 1 + static_cast<int>(random() % (round % 2 == 0 ? 4 : 40));
    for (int i = 0; i < count; ++i) {
      const int64_t start = random() % 30;
      b.add(SliceKind::framework_op, "x", start, start + random() % 12, random() % 2);
    }
    b.finish();
    nest_host_slices(b.run.timeline);
    for (SliceIndex i = 0; i < b.run.timeline.slices.size(); ++i) {
      EXPECT_EQ(b.run.timeline.slices.parent[i], slow_parent(b.run.timeline, i)) << "round " << round << " slice " << i;
    }
    for (TrackIndex track = 0; track < b.run.timeline.tracks.size(); ++track) {
      const bool empty = std::count(b.run.timeline.slices.track.begin(), b.run.timeline.slices.track.end(), track) == 0;
      EXPECT_EQ(b.run.timeline.tracks[track].nested, !empty && all_nest(b.run.timeline, track)) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace cgpu
