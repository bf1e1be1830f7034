#include "tiles/lanes/call_path_lane.h"

#include <fmt/format.h>

#include <algorithm>

#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

/// In the order of NodeKind.
constexpr NodeKind kNodeKinds[] = {NodeKind::root, NodeKind::entry, NodeKind::function,
                                   NodeKind::loop, NodeKind::line,  NodeKind::instruction};

std::vector<std::string_view> node_kind_names() {
  std::vector<std::string_view> names;
  for (const NodeKind kind : kNodeKinds) names.emplace_back(text_of(kind));
  return names;
}

void list_call_path(TrackList& tracks, const ListedAt& at) {
  const Run& run = tracks.run();
  if (!run.call_tree || !run.call_tree->sampled_nodes) return;
  if (!run.timeline.tracks[tracks[at.track].source].sampled) return;
  const std::vector<std::string> group = tracks[at.track].group;
  ViewTrack& track = tracks.add(ViewKind::call_path, group.back(), at.name + " call path");
  track.group = group;
  track.samples = at.track;
}

}  // namespace

uint8_t slice_kind_of(NodeKind kind) {
  return static_cast<uint8_t>(first_kind_of(call_path_lane()) + static_cast<int>(kind));
}

CallPathLane::CallPathLane(LaneScope& scope)
    : scope_(scope), frames_(scope.session().runs.size()), frame_names_(scope.session().runs.size()) {
  for (size_t run = 0; run < frames_.size(); ++run) {
    const Run& of = scope.session().runs[run];
    if (!of.call_tree || !of.call_tree->sampled_nodes || of.timeline.tracks.empty()) continue;
    frames_[run] = std::make_unique<Frames>(*of.call_tree);
    name_frames(run, scope.names());
  }
}

/// A frame has the number of the slices that are called so.
void CallPathLane::name_frames(size_t run, SharedNames& names) {
  const Run& of = scope_.session().runs[run];
  const CallTree& tree = *of.call_tree;
  std::vector<uint32_t>& numbers = frame_names_[run];
  numbers.assign(tree.nodes.size(), kNone);
  std::vector<uint32_t> known(tree.names.size(), kNone);  // by StringId of the tree
  for (NodeIndex node = 0; node < numbers.size(); ++node) {
    const NodeKind kind = tree.nodes.kind[node];
    if (kind != NodeKind::function && kind != NodeKind::entry) continue;
    uint32_t& number = known[tree.nodes.name[node]];
    if (tree.nodes.name[node] == 0 || number == kNone) {  // a name of 0 is made from the node's place
      const std::string text = tree.name_of(node);
      const StringId of_slices = of.timeline.names.find(text);
      number = of_slices == StringPool::absent ? names.add(text) : names.of(run, of_slices);
    }
    numbers[node] = number;
  }
}

bool CallPathLane::measure(ViewTrack& track) const {
  const PathExtent extent = path_extent(*frames_[track.run], samples_of(track));
  track.lanes = std::max<uint32_t>(extent.lanes, 1);
  track.slices = extent.boxes;
  if (extent.lanes < extent.longest) {
    track.name += fmt::format(" (outermost {} of {} frames)", extent.lanes, extent.longest);
  }
  return true;
}

std::shared_ptr<const LaneSlices> CallPathLane::slices(const ViewTrack& track) const {
  const PathExtent extent{0, *track.lanes, *track.slices};
  return std::make_shared<CallPaths>(call_paths(*frames_[track.run], samples_of(track), extent));
}

SliceStyle CallPathLane::style(const ViewTrack& track, const LaneSlices& of, SliceIndex slice) const {
  const NodeIndex frame = of.slices.name[slice];
  return {frame_names_[track.run][frame],
          colour_of(slice_kind_of(scope_.run_of(track).call_tree->nodes.kind[frame]), 0)};
}

void CallPathLane::for_each_box(const ViewTrack& track,
                                const std::function<void(SliceIndex, uint32_t, int64_t)>& visit) const {
  const std::vector<uint32_t>& names = frame_names_[track.run];
  cgpu::for_each_box(*frames_[track.run], samples_of(track), *track.lanes,
                     [&](SliceIndex box, NodeIndex frame, int64_t start) { visit(box, names[frame], start); });
}

NodeIndex CallPathLane::node_of(size_t run, SliceIndex slice) const {
  if (!frames_[run]) return kNoNode;
  const Run& of = scope_.session().runs[run];
  return of.call_tree->sampled_nodes->node_of(of.timeline.slices.source[slice]);
}

std::vector<PathSample> CallPathLane::samples_of(const ViewTrack& track) const {
  const std::vector<ViewTrack>& tracks = scope_.tracks().all();
  const TrackIndex source = tracks[track.samples].source;
  std::vector<SliceIndex> slices;
  // The parts of a track are side by side.
  const size_t first = track.samples - std::min<size_t>(track.samples, kTrackParts - 1);
  for (size_t id = first; id < std::min<size_t>(track.samples + kTrackParts, tracks.size()); ++id) {
    const ViewTrack& part = tracks[id];
    if (part.run != track.run || part.source != source) continue;
    const std::vector<SliceIndex> of_part = scope_.slices_of(part);
    slices.insert(slices.end(), of_part.begin(), of_part.end());
  }
  std::sort(slices.begin(), slices.end());
  const Run& run = scope_.run_of(track);
  return path_samples(run.timeline, *run.call_tree, slices);
}

const LaneDeclaration& call_path_lane() {
  static const LaneDeclaration lane{
      .kind = ViewKind::call_path,
      .place = TrackPlace::below_track,
      .slice_kinds = node_kind_names(),
      .list = list_call_path,
      .open = [](LaneScope& scope) -> std::unique_ptr<LaneSource> { return std::make_unique<CallPathLane>(scope); }};
  return lane;
}

}  // namespace cgpu
