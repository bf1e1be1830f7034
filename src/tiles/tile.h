// Tiles: a track at one resolution, 1,024 buckets of 2^level ns (docs/viewer-protocol.md, "Tiles").
//
// At most O(log n) a bucket and lane; the buckets that one slice covers are skipped together. Brute force with the same
// result: for every bucket take the longest slice of the lane that intersects it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tiles/lane_index.h"

namespace cgpu {

inline constexpr int kTileBuckets = 1024;
inline constexpr int kHighestLevel = 53;

/// Tile `index` of a level begins at index * 1024 * 2^level ns.
struct TilePlace {
  int level = 0;
  int64_t index = 0;

  /// Whether the level and the times of the tile are within the limits of the protocol.
  bool is_valid() const;
  /// When bucket `number` begins, at most INT64_MAX; for number 1,024, when the tile ends.
  int64_t edge(int number) const;
  /// The bucket of a time; 1,024 for times after the tile.
  int bucket(int64_t time) const;
};

/// Adjacent buckets [from, to) of a lane in which the same slice is the longest.
struct TileEntry {
  SliceIndex slice = kNone;
  uint32_t count = 0;  // slices of the lane that begin in these buckets
  uint16_t from = 0;
  uint16_t to = 0;
  bool operator==(const TileEntry&) const = default;
};

std::vector<TileEntry> tile_of_lane(const Lane& lane, const TilePlace& place);

/// What the page needs to draw a slice.
struct SliceStyle {
  uint32_t name = 0;
  uint16_t colour = 0;
};

/// The tile of all lanes in binary form. Calls `style_of` once for each entry. `numbers`: what the page knows the
/// slices by, where these are not their own numbers.
std::string encode_tile(const LaneIndex& index, const SliceTimes& times, const TilePlace& place,
                        const std::function<SliceStyle(SliceIndex)>& style_of,
                        const std::vector<SliceIndex>* numbers = nullptr);

}  // namespace cgpu
