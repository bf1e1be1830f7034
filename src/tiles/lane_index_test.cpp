#include "tiles/lane_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "tiles/slow_raster.h"

namespace cgpu {
namespace {

using test::RandomSlices;

/// Every slice occurs once, and no two of a lane overlap.
void expect_complete(const LaneIndex& index, const RandomSlices& random) {
  std::set<SliceIndex> seen;
  for (uint32_t number = 0; number < index.lanes(); ++number) {
    const Lane lane = index.lane(number);
    EXPECT_GT(lane.size(), 0U);
    for (size_t i = 0; i < lane.size(); ++i) {
      EXPECT_TRUE(seen.insert(lane.slice(i)).second);
      EXPECT_EQ(index.lane_of(lane.slice(i)), number);
      if (i > 0) {
        EXPECT_LE(lane.end(i - 1), lane.start(i));
      }
    }
  }
  EXPECT_EQ(seen.size(), random.slices.size());
}

/// The most slices at one moment; an empty slice takes part in the moment of its start.
uint32_t most_at_once(const std::vector<test::SlowSlice>& slices) {
  size_t most = 0;
  for (const test::SlowSlice& moment : slices) {
    const auto active = [&](const test::SlowSlice& s) { return s.start <= moment.start && moment.start < s.end; };
    most = std::max<size_t>(most, static_cast<size_t>(std::count_if(slices.begin(), slices.end(), active)));
  }
  return static_cast<uint32_t>(most);
}

/// Slices whose parents and tracks alone are known.
Slices nested_slices(std::vector<SliceIndex> parent, const std::vector<TrackIndex>& tracks) {
  Slices slices;
  for (const TrackIndex track : tracks) slices.append({.track = track});
  slices.parent = std::move(parent);
  return slices;
}

TEST(LaneIndex, LosesNothingAndNeedsTheFewestLanes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomSlices random(seed, 1 + seed % 120, 1 + int64_t{seed} * 7);
    const LaneIndex index(random.times(), random.numbers(), {});
    expect_complete(index, random);
    const uint32_t needed = most_at_once(random.slices);
    EXPECT_GE(index.lanes(), needed);
    EXPECT_LE(index.lanes(), needed + 1);  // one for an empty slice where all others are taken
    EXPECT_EQ(count_lanes(random.times(), random.numbers(), {}), index.lanes());
    EXPECT_EQ(index.lane_of(static_cast<SliceIndex>(random.slices.size())), kNone);
  }
}

TEST(LaneIndex, PutsChildrenBelowTheirParents) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomSlices random(seed, 80, 400);
    const auto& slices = random.slices;
    const auto encloses = [&](SliceIndex a, SliceIndex b) {
      if (slices[a].start == slices[b].start && slices[a].end == slices[b].end) return a < b;
      return slices[a].start <= slices[b].start && slices[b].end <= slices[a].end;
    };
    std::vector<SliceIndex> parent(slices.size(), kNone);  // any that encloses will do
    for (SliceIndex inner = 0; inner < slices.size(); ++inner) {
      for (SliceIndex outer = 0; outer < slices.size(); ++outer) {
        if (outer == inner || !encloses(outer, inner)) continue;
        if (parent[inner] == kNone || encloses(parent[inner], outer)) parent[inner] = outer;
      }
    }
    const Slices nested = nested_slices(parent, std::vector<TrackIndex>(slices.size(), 0));
    const LaneIndex index(random.times(), random.numbers(), SliceParents(nested));
    expect_complete(index, random);
    for (SliceIndex i = 0; i < slices.size(); ++i) {
      if (parent[i] != kNone) {
        EXPECT_GT(index.lane_of(i), index.lane_of(parent[i]));
      }
    }
  }
}

TEST(LaneIndex, SiblingsThatOverlapTakeAnotherLane) {
  const std::vector<int64_t> start = {0, 10, 40};
  const std::vector<int64_t> duration = {100, 50, 50};  // 1 and 2 lie in 0 and overlap each other
  const SliceTimes times(start, duration, 0);
  const Slices nested = nested_slices({kNone, 0, 0}, {3, 3, 3});
  const LaneIndex index(times, {0, 1, 2}, SliceParents(nested));
  EXPECT_EQ(index.lane_of(0), 0U);
  EXPECT_EQ(index.lane_of(1), 1U);
  EXPECT_EQ(index.lane_of(2), 2U);
}

TEST(LaneIndex, FindsTheLongestOfAnyRange) {
  RandomSlices random(7, 700, 100'000);
  const LaneIndex index(random.times(), random.numbers(), {});
  for (uint32_t number = 0; number < index.lanes(); ++number) {
    const Lane lane = index.lane(number);
    for (int i = 0; i < 300; ++i) {
      const auto first = static_cast<size_t>(random.up_to(static_cast<int64_t>(lane.size()) - 1));
      const auto last = first + 1 + static_cast<size_t>(random.up_to(static_cast<int64_t>(lane.size() - first) - 1));
      size_t slow = first;
      for (size_t at = first; at < last; ++at) slow = lane.duration(at) > lane.duration(slow) ? at : slow;
      ASSERT_EQ(lane.longest(first, last), slow) << first << " to " << last;
    }
    for (int i = 0; i < 100; ++i) {
      const int64_t time = random.up_to(150'000) - 40'000;
      size_t reaching = 0;
      while (reaching < lane.size() && !(lane.end(reaching) > time || lane.start(reaching) >= time)) ++reaching;
      ASSERT_EQ(lane.first_reaching(time), reaching);
      size_t starting = 0;
      while (starting < lane.size() && lane.start(starting) < time) ++starting;
      ASSERT_EQ(lane.first_starting(time), starting);
    }
  }
}

TEST(LaneIndex, ManyLanes) {
  constexpr SliceIndex kCount = 20'000;  // all at once
  std::vector<int64_t> start(kCount);
  const std::vector<int64_t> duration(kCount, 1'000'000);
  std::vector<SliceIndex> slices(kCount);
  for (SliceIndex i = 0; i < kCount; ++i) start[i] = slices[i] = i;
  EXPECT_EQ(LaneIndex(SliceTimes(start, duration, 0), slices, {}).lanes(), kCount);
}

TEST(LaneIndex, CostsLittleMemory) {
  constexpr SliceIndex kCount = 300'000;
  std::vector<int64_t> start(kCount);
  const std::vector<int64_t> duration(kCount, 15);
  std::vector<SliceIndex> slices(kCount);
  for (SliceIndex i = 0; i < kCount; ++i) start[i] = 10 * int64_t{slices[i] = i};
  const LaneIndex index(SliceTimes(start, duration, 0), slices, {});
  EXPECT_EQ(index.lanes(), 2U);
  EXPECT_LE(index.bytes(), size_t{kCount} * 15);
}

TEST(LaneIndex, SlicesThatFollowEachOtherCostLess) {
  constexpr SliceIndex kCount = 300'000;
  std::vector<int64_t> start(kCount);
  const std::vector<int64_t> duration(kCount, 10);
  std::vector<SliceIndex> slices(kCount);
  for (SliceIndex i = 0; i < kCount; ++i) start[i] = 10 * int64_t{slices[i] = i};
  slices.erase(slices.begin() + 17);
  const LaneIndex index(SliceTimes(start, duration, 0), slices, {});
  ASSERT_EQ(index.lanes(), 1U);
  EXPECT_EQ(index.lane(0).size(), kCount - 1);
  EXPECT_EQ(index.lane(0).slice(17), 18U);
  EXPECT_EQ(index.lane_of(16), 0U);
  EXPECT_EQ(index.lane_of(17), kNone);
  EXPECT_LE(index.bytes(), size_t{kCount} * 7);
}

TEST(LaneIndex, ParentsOnOtherTracksDoNotCount) {
  const std::vector<int64_t> start = {0, 10};
  const std::vector<int64_t> duration = {100, 5};
  Slices slices = nested_slices({kNone, 0}, {1, 2});
  EXPECT_EQ(SliceParents(slices).of(1), kNone);
  EXPECT_EQ(LaneIndex(SliceTimes(start, duration, 0), {1}, SliceParents(slices)).lanes(), 1U);
  slices.track[1] = 1;
  EXPECT_EQ(SliceParents(slices).of(1), 0U);
}

TEST(LaneIndex, TimesAtTheBordersOfInt64) {
  const std::vector<int64_t> start = {INT64_MIN, INT64_MAX, 0};
  const std::vector<int64_t> duration = {INT64_MAX, INT64_MAX, INT64_MAX};
  const SliceTimes times(start, duration, 1000);
  EXPECT_EQ(times.start(0), INT64_MIN);
  EXPECT_EQ(times.end(1), INT64_MAX);
  const LaneIndex index(times, {0, 1, 2}, {});
  EXPECT_EQ(index.slices(), 3U);
  for (int level = 0; level <= kHighestLevel; level += 53) {
    for (uint32_t lane = 0; lane < index.lanes(); ++lane) tile_of_lane(index.lane(lane), {level, 0});
  }
}

}  // namespace
}  // namespace cgpu
