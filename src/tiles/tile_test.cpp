#include "tiles/tile.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tiles/slow_raster.h"

namespace cgpu {

void PrintTo(const TileEntry& entry, std::ostream* out) {
  *out << "{" << entry.slice << ", count " << entry.count << ", " << entry.from << " to " << entry.to << "}";
}

namespace {

using test::RandomSlices;

TEST(Tile, EqualsTheSlowRaster) {
  size_t entries = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    RandomSlices random(seed, 1 + 3 * (seed % 50), 10 + int64_t{seed} * seed * 3);
    const LaneIndex index(random.times(), random.numbers(), {});
    for (int i = 0; i < 12; ++i) {
      const int level = static_cast<int>(random.up_to(14));
      const TilePlace place{level, random.up_to((70'000 >> 10 >> level) + 1) - 1};
      ASSERT_TRUE(place.is_valid());
      for (uint32_t number = 0; number < index.lanes(); ++number) {
        const Lane lane = index.lane(number);
        const std::vector<TileEntry> fast = tile_of_lane(lane, place);
        ASSERT_EQ(fast, test::slow_tile(random.slices, test::slices_of(lane), place))
            << "seed " << seed << ", level " << level << ", index " << place.index << ", lane " << number;
        entries += fast.size();
      }
    }
  }
  EXPECT_GT(entries, 20'000U);  // the tiles above were not all empty
}

TEST(Tile, PixelsFromTilesAreThoseOfTheRule) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomSlices random(seed, 120, 100 + int64_t{seed} * 5'000);
    const LaneIndex index(random.times(), random.numbers(), {});
    for (int i = 0; i < 6; ++i) {
      const test::Window window{random.up_to(300'000) - 50'000, 0.25 + static_cast<double>(random.up_to(20'000)) / 64,
                                97};
      for (uint32_t number = 0; number < index.lanes(); ++number) {
        const Lane lane = index.lane(number);
        ASSERT_EQ(test::compose_pixels(lane, random.slices, window),
                  test::slow_pixels(random.slices, test::slices_of(lane), window))
            << "seed " << seed << ", begin " << window.begin << ", width " << window.width << ", lane " << number;
      }
    }
  }
}

TEST(Tile, EveryLevelShowsTheLongestOfAll) {
  RandomSlices random(3, 500, 1'000'000);
  const LaneIndex index(random.times(), random.numbers(), {});
  const Lane lane = index.lane(0);
  const SliceIndex longest = lane.slice(lane.longest(0, lane.size()));
  for (int level = 0; level <= kHighestLevel; ++level) {
    TilePlace place{level, 0};
    place.index = (random.slices[longest].start >> level) >> 10;
    ASSERT_TRUE(place.is_valid());
    const std::vector<TileEntry> entries = tile_of_lane(lane, place);
    EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), [&](const TileEntry& e) { return e.slice == longest; }));
  }
}

TEST(Tile, PlacesFarAwayAreRefusedOrEmpty) {
  EXPECT_FALSE((TilePlace{-1, 0}.is_valid()));
  EXPECT_FALSE((TilePlace{54, 0}.is_valid()));
  EXPECT_FALSE((TilePlace{0, INT64_MAX}.is_valid()));
  EXPECT_FALSE((TilePlace{0, INT64_MIN}.is_valid()));
  EXPECT_FALSE((TilePlace{53, 1}.is_valid()));
  const std::vector<int64_t> start = {5};
  const std::vector<int64_t> duration = {10};
  const LaneIndex index(SliceTimes(start, duration, 0), {0}, {});
  for (const TilePlace place : {TilePlace{0, int64_t{1} << 52}, TilePlace{0, -(int64_t{1} << 52)}, TilePlace{53, -1}}) {
    ASSERT_TRUE(place.is_valid());
    EXPECT_TRUE(tile_of_lane(index.lane(0), place).empty());
  }
  EXPECT_EQ(tile_of_lane(index.lane(0), {53, 0}).size(), 1U);
}

/// Reads numbers off the front of a tile.
template <typename T>
T take(std::string_view& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

TEST(Tile, EncodesAsThePageReadsIt) {
  const std::vector<int64_t> start = {100, 0, 2'000};
  const std::vector<int64_t> duration = {50, 3'000, 10};
  const SliceTimes times(start, duration, 0);
  const LaneIndex index(times, {0, 1, 2}, {});
  const std::string tile = encode_tile(index, times, {0, 0}, [](SliceIndex slice) {
    return SliceStyle{slice + 70, static_cast<uint16_t>(slice + 7)};
  });
  EXPECT_EQ(tile.size() % 8, 0U);
  std::string_view bytes = tile;
  EXPECT_EQ(bytes.substr(0, 4), "CGT1");
  bytes.remove_prefix(4);
  EXPECT_EQ(take<uint32_t>(bytes), 2U);  // lanes
  EXPECT_EQ(take<uint32_t>(bytes), 2U);  // entries: the third slice lies behind the tile
  EXPECT_EQ(take<uint32_t>(bytes), 0U);
  for (const uint32_t begin : {0U, 1U, 2U}) EXPECT_EQ(take<uint32_t>(bytes), begin);
  EXPECT_EQ(take<uint32_t>(bytes), 0U);  // up to a multiple of 8
  for (const double value : {0.0, 100.0, 3'000.0, 50.0}) EXPECT_EQ(take<double>(bytes), value);
  for (const uint32_t value : {1U, 0U, 71U, 70U, 1U, 1U}) EXPECT_EQ(take<uint32_t>(bytes), value);
  for (const int value : {0, 100, 1024, 150, 8, 7}) EXPECT_EQ(take<uint16_t>(bytes), value);
}

}  // namespace
}  // namespace cgpu
