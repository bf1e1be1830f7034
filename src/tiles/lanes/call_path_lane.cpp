#include "tiles/lanes/call_path_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tiles/lanes/lane_sources.h"
#include "tiles/timeline_view.h"

namespace cgpu {

namespace {

/// Where a node is in the program, and what was measured there and below.
void write_node(JsonTextWriter& json, const Session& session, size_t run, NodeIndex node) {
  const Run& of = session.runs[run];
  const CallTree& tree = *of.call_tree;
  json.key("node").begin_object().member("rank", of.rank).member("id", node);
  json.member("kind", text_of(tree.nodes.kind[node])).member("name", shown_name(tree.name_of(node)));
  const auto member_if = [&](const char* name, StringId text) {
    if (text != 0) json.member(name, shown_name(tree.names[text]));
  };
  member_if("module", tree.nodes.module[node]);
  member_if("file", tree.nodes.file[node]);
  if (tree.nodes.line[node] > 0) json.member("line", tree.nodes.line[node]);
  if (tree.main_metric) {
    const double value = inclusive_value(tree, *tree.main_metric, node);
    const Metric& metric = tree.metrics[*tree.main_metric];
    if (!std::isnan(value)) json.member("metric", metric.name).member("unit", metric.unit).member("inclusive", value);
  }
  json.end_object();
}

/// From a box outwards.
void write_frames(JsonTextWriter& json, const TimelineView& view, ViewTrackId track, SliceIndex box) {
  json.key("stack").begin_array();
  for (; box != kNone; box = view.parent(track, box)) write_position(json, view, *view.find(track, box));
  json.end_array();
}

void list_call_path(TrackList& tracks, const ListedAt& at) {
  const Run& run = tracks.run();
  if (!run.call_tree || !run.call_tree->sampled_nodes) return;
  if (!run.timeline.tracks[tracks[at.track].source].sampled) return;
  const std::vector<std::string> group = tracks[at.track].group;
  ViewTrack& track = tracks.add(group.back(), at.name + " call path");
  track.group = group;
  track.samples = at.track;
}

}  // namespace

uint8_t slice_kind_of(NodeKind kind) {
  static const uint8_t first = slice_kind(text_of(NodeKind::root));
  return static_cast<uint8_t>(first + static_cast<int>(kind));
}

CallPathLane::CallPathLane(LaneScope& scope)
    : scope_(scope),
      frames_(scope.session().runs.size()),
      frame_names_(scope.session().runs.size()),
      called_(scope.session().runs.size()) {
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
  std::vector<uint32_t>& called = called_[run];
  std::ranges::copy_if(numbers, std::back_inserter(called), [](uint32_t number) { return number != kNone; });
  std::ranges::sort(called);
  called.erase(std::unique(called.begin(), called.end()), called.end());
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

bool CallPathLane::can_match(const ViewTrack& track, const NameMatches& matches) const {
  return matches.has_any(called_[track.run]);
}

bool CallPathLane::for_each_name(const ViewTrack& track, const Visit& visit) const {
  const std::vector<uint32_t>& names = frame_names_[track.run];
  for_each_box(*frames_[track.run], samples_of(track), *track.lanes,
               [&](SliceIndex box, NodeIndex frame, int64_t start) { visit(box, names[frame], start); });
  return true;
}

void CallPathLane::describe(JsonTextWriter& json, const TimelineView& view, const SlicePosition& box) const {
  const CallPaths& paths = view.derived_as<CallPaths>(box.track);
  write_node(json, scope_.session(), view.tracks()[box.track].run, paths.slices.name[box.slice]);
  json.member("samples", paths.samples[box.slice]);
  write_frames(json, view, box.track, paths.parent[box.slice]);
}

bool CallPathLane::describe_source(JsonTextWriter& json, const TimelineView& view, size_t run, SliceIndex slice) const {
  const NodeIndex node = node_of(run, slice);
  if (node == kNoNode) return false;
  write_node(json, scope_.session(), run, node);
  const std::optional<SlicePosition> box = innermost_box(view, run, slice);
  if (box) write_frames(json, view, box->track, box->slice);
  return box.has_value();
}

NodeIndex CallPathLane::node_of(size_t run, SliceIndex slice) const {
  if (!frames_[run]) return kNoNode;
  const Run& of = scope_.session().runs[run];
  return of.call_tree->sampled_nodes->node_of(of.timeline.slices.source[slice]);
}

std::optional<SlicePosition> CallPathLane::innermost_box(const TimelineView& view, size_t run, SliceIndex slice) const {
  const NodeIndex node = node_of(run, slice);
  if (node == kNoNode) return std::nullopt;
  const TrackIndex source = scope_.session().runs[run].timeline.slices.track[slice];
  const auto track = std::find_if(view.tracks().begin(), view.tracks().end(), [&](const ViewTrack& candidate) {
    return candidate.run == run && candidate.samples != kNone && view.tracks()[candidate.samples].source == source;
  });
  if (track == view.tracks().end()) return std::nullopt;
  const Frames& frames = *frames_[run];
  const uint32_t length = std::min(frames.length(node), *track->lanes);
  NodeIndex frame = frames.of(node);
  for (uint32_t depth = std::min(frames.length(node), kMostPathLanes); depth > length; --depth) {
    frame = frames.caller(frame);
  }
  if (length == 0) return std::nullopt;
  const auto id = static_cast<ViewTrackId>(track - view.tracks().begin());
  const Lane lane = view.lanes(id).lane(length - 1);
  const DerivedSlices& boxes = *view.derived(id);
  const int64_t start = scope_.session().runs[run].timeline.slices.start[slice] - view.zero(run);
  // Of the boxes that begin together (samples without duration), the sample's own has its frame.
  for (size_t position = lane.first_starting(start + 1); position-- > 0;) {
    const SliceIndex box = lane.slice(position);
    if (boxes.name[box] == frame && lane.end(position) >= start) return view.find(id, box);
    if (lane.end(position) < start) break;
  }
  return std::nullopt;
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

LaneDeclaration call_path_lane() {
  return {.kind = "call_path",
          .place = TrackPlace::below_track,
          .slice_kinds = {{text_of(NodeKind::root), ""},  // in the order of NodeKind
                          {text_of(NodeKind::entry), "name"},
                          {text_of(NodeKind::function), "name"},
                          {text_of(NodeKind::loop), ""},
                          {text_of(NodeKind::line), ""},
                          {text_of(NodeKind::instruction), ""}},
          .origin = "Its first sample",
          .is_exported = false,  // follows from the samples
          .list = list_call_path,
          .open = open_lane<CallPathLane>};
}

}  // namespace cgpu
