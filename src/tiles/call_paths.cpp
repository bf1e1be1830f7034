#include "tiles/call_paths.h"

#include <algorithm>

#include "base/to_size.h"

namespace cgpu {

namespace {

bool is_frame(NodeKind kind) {
  return kind == NodeKind::function || kind == NodeKind::entry;
}

/// A frame that has begun and not ended yet.
struct OpenFrame {
  NodeIndex node = kNoNode;
  SliceIndex box = kNone;
  size_t first = 0;  // index of the first sample in it
};

/// Goes through the samples. Calls begin(open frames, sample), whose last frame is the one that begins, and
/// end(frame, index of the last sample in it).
template <typename Begin, typename End>
void walk(const Frames& frames, const std::vector<PathSample>& samples, uint32_t lanes, Begin begin, End end) {
  std::vector<OpenFrame> open;
  std::vector<NodeIndex> entered;  // innermost first
  SliceIndex boxes = 0;
  const auto close = [&](size_t depth, size_t last) {
    for (; open.size() > depth; open.pop_back()) end(open.back(), last);
  };
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i > 0 && samples[i - 1].time.end != samples[i].time.begin) close(0, i - 1);
    NodeIndex frame = frames.of(samples[i].node);
    uint32_t depth = std::min(frames.length(samples[i].node), kMostPathLanes);
    for (; depth > lanes; --depth) frame = frames.caller(frame);
    entered.clear();
    // The same node has the same path above it.
    for (; depth > 0 && (depth > open.size() || open[depth - 1].node != frame); --depth) {
      entered.push_back(frame);
      frame = frames.caller(frame);
    }
    if (i > 0) close(depth, i - 1);
    for (; !entered.empty(); entered.pop_back()) {
      open.push_back({entered.back(), boxes++, i});
      begin(open, samples[i]);
    }
  }
  if (!samples.empty()) close(0, samples.size() - 1);
}

}  // namespace

Frames::Frames(const CallTree& tree) : tree_(tree), frame_(tree.nodes.size()), length_(tree.nodes.size()) {
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
    const NodeIndex parent = tree.nodes.parent[node];
    frame_[node] = parent == kNoNode ? kNoNode : frame_[parent];
    length_[node] = parent == kNoNode ? 0 : length_[parent];
    if (parent == kNoNode || !is_frame(tree.nodes.kind[node])) continue;
    if (++length_[node] <= kMostPathLanes) frame_[node] = node;
  }
}

std::vector<PathSample> path_samples(const Timeline& timeline, const CallTree& tree,
                                     const std::vector<SliceIndex>& slices) {
  std::vector<PathSample> samples;
  samples.reserve(slices.size());
  for (const SliceIndex slice : slices) {
    const NodeIndex node = tree.sampled_nodes->node_of(timeline.slices.source[slice]);
    if (node == kNoNode) continue;
    samples.push_back({slice, {timeline.slices.start[slice], timeline.slices.end(slice)}, node});
  }
  const auto by_start = [](const PathSample& a, const PathSample& b) { return a.time.begin < b.time.begin; };
  if (!std::is_sorted(samples.begin(), samples.end(), by_start)) {
    std::stable_sort(samples.begin(), samples.end(), by_start);
  }
  for (size_t i = 1; i < samples.size(); ++i) {
    samples[i - 1].time.end = std::min(samples[i - 1].time.end, samples[i].time.begin);
  }
  return samples;
}

PathExtent path_extent(const Frames& frames, const std::vector<PathSample>& samples, uint64_t most_boxes) {
  PathExtent extent;
  for (const PathSample& sample : samples) extent.longest = std::max(extent.longest, frames.length(sample.node));
  std::vector<uint64_t> boxes(std::min(extent.longest, kMostPathLanes));  // by lane
  walk(
      frames, samples, kMostPathLanes,
      [&](const std::vector<OpenFrame>& open, const PathSample&) { ++boxes[open.size() - 1]; },
      [](const OpenFrame&, size_t) {});
  for (const uint64_t on_lane : boxes) {
    if (extent.lanes > 0 && extent.boxes + on_lane > most_boxes) break;
    extent.boxes += on_lane;
    ++extent.lanes;
  }
  return extent;
}

CallPaths call_paths(const Frames& frames, const std::vector<PathSample>& samples, const PathExtent& extent) {
  CallPaths paths;
  const size_t boxes = to_size(extent.boxes);
  paths.slices.reserve(boxes);
  paths.lane.reserve(boxes);
  paths.samples.reserve(boxes);
  paths.parent.reserve(boxes);
  walk(
      frames, samples, extent.lanes,
      [&](const std::vector<OpenFrame>& open, const PathSample& sample) {
        paths.slices.add({sample.time.begin, sample.time.begin}, open.back().node, sample.slice);
        paths.lane.push_back(static_cast<uint32_t>(open.size() - 1));
        paths.samples.push_back(0);
        paths.parent.push_back(open.size() > 1 ? open[open.size() - 2].box : kNone);
      },
      [&](const OpenFrame& frame, size_t last) {
        paths.slices.duration[frame.box] = samples[last].time.end - paths.slices.start[frame.box];
        paths.samples[frame.box] = static_cast<uint32_t>(last - frame.first + 1);
      });
  return paths;
}

void for_each_box(const Frames& frames, const std::vector<PathSample>& samples, uint32_t lanes,
                  const std::function<void(SliceIndex, NodeIndex, int64_t)>& visit) {
  walk(
      frames, samples, lanes,
      [&](const std::vector<OpenFrame>& open, const PathSample& sample) {
        visit(open.back().box, open.back().node, sample.time.begin);
      },
      [](const OpenFrame&, size_t) {});
}

}  // namespace cgpu
