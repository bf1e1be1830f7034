// Tiles: a track at one resolution, 1,024 buckets of 2^level ns (docs/viewer-protocol.md, "Tiles").
//
// Costs O(log n) a bucket and lane at most, whatever the number of slices; what a long slice covers is stepped over.
// The slow way it equals: for every bucket look at all slices of the lane and take the longest that intersects it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tiles/lane_index.h"

namespace cgpu {

inline constexpr int kTileBuckets = 1024;
inline constexpr int kHighestLevel = 53;

/// Tile `index` of level `level`: times from index * 1024 * 2^level on.
struct TilePlace {
  int level = 0;
  int64_t index = 0;

  /// Whether the level and the times of the tile are within what the protocol has.
  bool is_valid() const;
  /// When bucket `number` begins (1,024: when the tile ends), at most INT64_MAX.
  int64_t edge(int number) const;
  /// The bucket of a time, which is 1,024 for what comes after the tile.
  int bucket(int64_t time) const;
};

/// Neighbouring buckets [from, to) of a lane in which the same slice is the longest.
struct TileEntry {
  SliceIndex slice = kNone;
  uint32_t count = 0;  // slices of the lane that begin in these buckets
  uint16_t from = 0;
  uint16_t to = 0;
  bool operator==(const TileEntry&) const = default;
};

std::vector<TileEntry> tile_of_lane(const Lane& lane, const TilePlace& place);

/// What the page needs to know of a slice to draw it.
struct SliceLook {
  uint32_t name = 0;
  uint16_t colour = 0;
};

/// The tile of all lanes in its binary form. `look_of` is asked once an entry.
std::string encode_tile(const LaneIndex& index, const SliceTimes& times, const TilePlace& place,
                        const std::function<SliceLook(SliceIndex)>& look_of);

}  // namespace cgpu
