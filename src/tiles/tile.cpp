#include "tiles/tile.h"

#include <algorithm>
#include <utility>

#include "tiles/bytes.h"

namespace cgpu {

namespace {

/// Times of tiles stay within this, so that nothing overflows before it is clamped.
constexpr int64_t kFarthest = int64_t{1} << 62;

}  // namespace

bool TilePlace::is_valid() const {
  if (level < 0 || level > kHighestLevel) return false;
  const int64_t most = kFarthest >> level >> 10;
  return index >= -most - 1 && index <= most;
}

int64_t TilePlace::edge(int number) const {
  const int64_t bucket = index * kTileBuckets + number;
  if (bucket > INT64_MAX >> level) return INT64_MAX;
  return bucket * (int64_t{1} << level);
}

int TilePlace::bucket(int64_t time) const {
  if (time < edge(0)) return 0;
  if (time >= edge(kTileBuckets)) return kTileBuckets;
  return static_cast<int>((time >> level) - index * kTileBuckets);
}

std::vector<TileEntry> tile_of_lane(const Lane& lane, const TilePlace& place) {
  std::vector<TileEntry> entries;
  size_t first = lane.first_reaching(place.edge(0));  // of the slices that intersect the bucket
  size_t counted = lane.first_starting(place.edge(0), first);
  for (int bucket = 0; bucket < kTileBuckets && first < lane.size();) {
    if (lane.start(first) >= place.edge(bucket + 1)) bucket = place.bucket(lane.start(first));
    if (bucket == kTileBuckets) break;
    const size_t last = lane.first_starting(place.edge(bucket + 1), first);
    if (last == first) break;  // the bucket begins at the end of representable time
    const size_t longest = lane.longest(first, last);
    // Slices of a lane do not overlap: no other slice intersects the buckets that this one covers entirely.
    const int to = std::max(bucket + 1, place.bucket(lane.end(longest)));
    const auto count = static_cast<uint32_t>(last - std::exchange(counted, last));
    const SliceIndex slice = lane.slice(longest);
    if (!entries.empty() && entries.back().slice == slice && entries.back().to == bucket) {
      entries.back().to = static_cast<uint16_t>(to);
      entries.back().count += count;
    } else {
      entries.push_back({slice, count, static_cast<uint16_t>(bucket), static_cast<uint16_t>(to)});
    }
    first = lane.end(last - 1) > place.edge(to) ? last - 1 : last;
    bucket = to;
  }
  return entries;
}

std::string encode_tile(const LaneIndex& index, const SliceTimes& times, const TilePlace& place,
                        const std::function<SliceStyle(SliceIndex)>& style_of, const std::vector<SliceIndex>* numbers) {
  std::vector<uint32_t> lane_begin = {0};
  std::vector<TileEntry> entries;
  for (uint32_t lane = 0; lane < index.lanes(); ++lane) {
    const std::vector<TileEntry> of_lane = tile_of_lane(index.lane(lane), place);
    entries.insert(entries.end(), of_lane.begin(), of_lane.end());
    lane_begin.push_back(static_cast<uint32_t>(entries.size()));
  }
  std::string out;
  append_number(out, magic("CGT1"));
  append_number(out, index.lanes());
  append_number(out, static_cast<uint32_t>(entries.size()));
  append_number(out, uint32_t{0});
  append_column(out, lane_begin);
  pad_to_8(out);
  for (const TileEntry& entry : entries) append_number(out, static_cast<double>(times.start(entry.slice)));
  for (const TileEntry& entry : entries) append_number(out, static_cast<double>(times.duration(entry.slice)));
  for (const TileEntry& entry : entries) append_number(out, numbers ? (*numbers)[entry.slice] : entry.slice);
  std::vector<uint16_t> colours;
  for (const TileEntry& entry : entries) {
    const SliceStyle style = style_of(entry.slice);
    append_number(out, style.name);
    colours.push_back(style.colour);
  }
  for (const TileEntry& entry : entries) append_number(out, entry.count);
  for (const TileEntry& entry : entries) append_number(out, entry.from);
  for (const TileEntry& entry : entries) append_number(out, entry.to);
  append_column(out, colours);
  pad_to_8(out);
  return out;
}

}  // namespace cgpu
