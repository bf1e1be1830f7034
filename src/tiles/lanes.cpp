#include "tiles/lanes.h"

#include <algorithm>

namespace cgpu {

void LaneLayout::grow() {
  const uint32_t before = leaves_;
  const std::vector<int64_t> ends(ends_.begin() + before, ends_.end());
  leaves_ = before == 0 ? 8 : 2 * before;
  ends_.assign(2 * size_t{leaves_}, INT64_MIN);  // a lane without slices is free from the beginning
  std::copy(ends.begin(), ends.end(), ends_.begin() + leaves_);
  if (has_minima_) find_minima();
}

void LaneLayout::find_minima() {
  has_minima_ = true;
  for (uint32_t node = leaves_ - 1; node > 0; --node) ends_[node] = std::min(ends_[2 * node], ends_[2 * node + 1]);
}

uint32_t LaneLayout::first_free(int64_t start, uint32_t from) const {
  uint32_t node = leaves_ + from;
  while (ends_[node] > start) {  // to the next subtree on the right
    while ((node & 1) == 1) node /= 2;
    if (node == 0) return leaves_;
    ++node;
  }
  while (node < leaves_) node = ends_[2 * node] <= start ? 2 * node : 2 * node + 1;
  return node - leaves_;
}

uint32_t LaneLayout::search(int64_t start, int64_t end, uint32_t from) {
  if (!has_minima_) find_minima();
  uint32_t lane = ends_[leaves_ + from] <= start ? from : first_free(start, from);
  if (lane == leaves_) grow();
  lanes_ = std::max(lanes_, lane + 1);
  uint32_t node = leaves_ + lane;
  ends_[node] = end;
  for (node /= 2; node > 0; node /= 2) {
    const int64_t least = std::min(ends_[2 * node], ends_[2 * node + 1]);
    if (ends_[node] == least) break;
    ends_[node] = least;
  }
  return lane;
}

}  // namespace cgpu
