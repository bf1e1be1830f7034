// For tests: what tiles and pixels must show, found by brute force over all slices.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "tiles/lane_index.h"
#include "tiles/tile.h"

namespace cgpu::test {

struct SlowSlice {
  int64_t start = 0;
  int64_t end = 0;
};

/// docs/viewer-protocol.md: whether a slice intersects [begin, end).
inline bool intersects(const SlowSlice& slice, int64_t begin, int64_t end) {
  if (slice.start == slice.end) return begin <= slice.start && slice.start < end;
  return slice.start < end && slice.end > begin;
}

/// The longest of some slices that intersects [begin, end), the earliest of equal ones; kNone for none. `which` are
/// numbers of slices.
inline SliceIndex slow_longest(const std::vector<SlowSlice>& slices, const std::vector<SliceIndex>& which,
                               int64_t begin, int64_t end) {
  SliceIndex best = kNone;
  for (const SliceIndex i : which) {
    const SlowSlice& slice = slices[i];
    if (!intersects(slice, begin, end)) continue;
    const auto length = [&](SliceIndex s) { return slices[s].end - slices[s].start; };
    if (best == kNone || length(i) > length(best) || (length(i) == length(best) && slice.start < slices[best].start)) {
      best = i;
    }
  }
  return best;
}

/// A tile bucket by bucket.
inline std::vector<TileEntry> slow_tile(const std::vector<SlowSlice>& slices, const std::vector<SliceIndex>& lane,
                                        const TilePlace& place) {
  std::vector<TileEntry> entries;
  for (int bucket = 0; bucket < kTileBuckets; ++bucket) {
    const int64_t begin = place.edge(bucket);
    const int64_t end = place.edge(bucket + 1);
    const SliceIndex winner = slow_longest(slices, lane, begin, end);
    if (winner == kNone) continue;
    uint32_t count = 0;
    for (const SliceIndex i : lane) count += begin <= slices[i].start && slices[i].start < end ? 1 : 0;
    const auto from = static_cast<uint16_t>(bucket);
    const auto to = static_cast<uint16_t>(bucket + 1);
    if (!entries.empty() && entries.back().slice == winner && entries.back().to == from) {
      entries.back().to = to;
      entries.back().count += count;
    } else {
      entries.push_back({winner, count, from, to});
    }
  }
  return entries;
}

/// What a page shows of [begin, begin + pixels * width): the level, and the bucket edges at which its pixels begin.
struct Window {
  int64_t begin = 0;
  double width = 1;  // ns a pixel
  int pixels = 1;

  /// The highest level whose bucket is at most half a pixel wide, or 0.
  int level() const {
    int level = 0;
    while (level < kHighestLevel && static_cast<double>(int64_t{2} << level) <= width / 2) ++level;
    return level;
  }
  /// The number of the bucket whose beginning is nearest to where pixel `i` should begin.
  int64_t edge(int i) const {
    const double bucket = static_cast<double>(int64_t{1} << level());
    return static_cast<int64_t>(std::floor((static_cast<double>(begin) + i * width) / bucket + 0.5));
  }
};

/// The slice of each pixel of a lane, composed of tiles as the page does it: the longest of the entries that reach into
/// the pixel, the earliest of equal ones.
inline std::vector<SliceIndex> compose_pixels(const Lane& lane, const std::vector<SlowSlice>& slices,
                                              const Window& window) {
  std::vector<SliceIndex> row(static_cast<size_t>(window.pixels), kNone);
  const int level = window.level();
  const auto tile_of = [](int64_t bucket) { return bucket >> 10; };
  for (int64_t index = tile_of(window.edge(0)); index <= tile_of(window.edge(window.pixels)); ++index) {
    for (const TileEntry& entry : tile_of_lane(lane, {level, index})) {
      const int64_t from = index * kTileBuckets + entry.from;
      const int64_t to = index * kTileBuckets + entry.to;
      for (int pixel = 0; pixel < window.pixels; ++pixel) {
        if (from >= window.edge(pixel + 1) || to <= window.edge(pixel)) continue;
        SliceIndex& shown = row[static_cast<size_t>(pixel)];
        const auto rank = [&](SliceIndex i) { return std::pair(slices[i].end - slices[i].start, -slices[i].start); };
        if (shown == kNone || rank(entry.slice) > rank(shown)) shown = entry.slice;
      }
    }
  }
  return row;
}

/// The same by definition.
inline std::vector<SliceIndex> slow_pixels(const std::vector<SlowSlice>& slices, const std::vector<SliceIndex>& lane,
                                           const Window& window) {
  std::vector<SliceIndex> row;
  for (int pixel = 0; pixel < window.pixels; ++pixel) {
    row.push_back(
        slow_longest(slices, lane, window.edge(pixel) << window.level(), window.edge(pixel + 1) << window.level()));
  }
  return row;
}

/// Slices of one track, in any order, with all that is awkward: empty ones, equal bounds, many at one time.
class RandomSlices {
 public:
  RandomSlices(unsigned seed, size_t count, int64_t span) : random_(seed) {
    for (size_t i = 0; i < count; ++i) {
      const int64_t begin = up_to(span) - span / 4;
      const int64_t length = up_to(9) < 2    ? 0
                             : up_to(9) == 0 ? up_to(span)
                                             : up_to(1 + span / static_cast<int64_t>(count));
      slices.push_back({begin, begin + length});
      start.push_back(begin);
      duration.push_back(length);
    }
  }
  int64_t up_to(int64_t limit) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit + 1)); }

  SliceTimes times() const { return {start, duration, 0}; }
  std::vector<SliceIndex> numbers() const {
    std::vector<SliceIndex> all(slices.size());
    for (SliceIndex i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }

  std::vector<SlowSlice> slices;
  std::vector<int64_t> start;
  std::vector<int64_t> duration;

 private:
  std::mt19937_64 random_;
};

inline std::vector<SliceIndex> slices_of(const Lane& lane) {
  std::vector<SliceIndex> slices;
  for (size_t i = 0; i < lane.size(); ++i) slices.push_back(lane.slice(i));
  return slices;
}

}  // namespace cgpu::test
