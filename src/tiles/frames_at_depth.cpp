#include "tiles/frames_at_depth.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cgpu {

namespace {

std::vector<SliceIndex> numbers(size_t count) {
  std::vector<SliceIndex> all(count);
  std::iota(all.begin(), all.end(), SliceIndex{0});
  return all;
}

/// Goes through the boxes of a track, outer before inner, and cuts the pieces of one depth out of them.
class PieceCutter {
 public:
  PieceCutter(const CallPaths& paths, uint32_t depth) : paths_(paths), depth_(depth) {}

  DepthPieces cut() {
    for (SliceIndex box = 0; box < paths_.slices.size(); ++box) {
      if (paths_.lane[box] >= depth_) continue;
      while (!open_.empty() && open_.back() != paths_.parent[box]) close();
      const int64_t start = paths_.slices.start[box];
      if (!open_.empty()) add_until(start);
      at_ = start;
      open_.push_back(box);
    }
    while (!open_.empty()) close();
    return std::move(pieces_);
  }

 private:
  void add_until(int64_t end) {
    if (end <= at_) return;
    if (!pieces_.box.empty() && pieces_.box.back() == open_.back() &&
        pieces_.start.back() + pieces_.duration.back() == at_) {  // a box without duration lies between
      pieces_.duration.back() += end - at_;
    } else {
      pieces_.start.push_back(at_);
      pieces_.duration.push_back(end - at_);
      pieces_.box.push_back(open_.back());
    }
    at_ = end;
  }

  void close() {
    add_until(paths_.slices.start[open_.back()] + paths_.slices.duration[open_.back()]);
    open_.pop_back();
  }

  const CallPaths& paths_;
  uint32_t depth_;
  DepthPieces pieces_;
  std::vector<SliceIndex> open_;  // boxes, each the caller of the next
  int64_t at_ = 0;                // up to which the innermost open box has its pieces
};

}  // namespace

DepthPieces pieces_at_depth(const CallPaths& paths, uint32_t depth) {
  return PieceCutter(paths, depth).cut();
}

FramesAtDepth::FramesAtDepth(const CallPaths& paths, uint32_t depth, int64_t zero)
    : depth_(depth),
      zero_(zero),
      pieces_(pieces_at_depth(paths, depth)),
      lanes_(times(), numbers(pieces_.box.size()), SliceParents()) {}

void FramesAtDepth::for_each_in(int64_t from, int64_t to, const std::function<void(SliceIndex, int64_t)>& visit) const {
  if (pieces_.start.empty()) return;
  const Lane lane = lanes_.lane(0);
  for (size_t position = lane.first_reaching(from); position < lane.size() && lane.start(position) < to; ++position) {
    const int64_t time = std::min(lane.end(position), to) - std::max(lane.start(position), from);
    if (time > 0) visit(pieces_.box[lane.slice(position)], time);
  }
}

}  // namespace cgpu
