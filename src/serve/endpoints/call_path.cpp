#include "serve/endpoints/call_path.h"

#include <fmt/format.h>

#include <cmath>

namespace cgpu {

namespace {

/// Where a node is in the program, and what was measured there and below.
void write_node(JsonTextWriter& json, const Profile& profile, size_t run, NodeIndex node) {
  const Run& of = profile.session().runs[run];
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
void write_frames(JsonTextWriter& json, const Profile& profile, ViewTrackId track, SliceIndex box) {
  json.key("stack").begin_array();
  for (; box != kNone; box = profile.view().derived_as<CallPaths>(track).callers[box]) {
    write_position(json, profile, *profile.view().find(track, box));
  }
  json.end_array();
}

}  // namespace

void write_path_box(JsonTextWriter& json, const Profile& profile, const SlicePosition& box) {
  const TimelineView& view = profile.view();
  const ViewTrack& track = view.tracks()[box.track];
  const CallPaths& paths = view.derived_as<CallPaths>(box.track);
  write_node(json, profile, track.run, paths.slices.name[box.slice]);
  json.member("samples", paths.samples[box.slice]);
  write_frames(json, profile, box.track, paths.callers[box.slice]);
  json.key("origin");
  write_position(json, profile, view.place(track.run, paths.slices.origin[box.slice]));
}

bool write_sample_path(JsonTextWriter& json, const Profile& profile, size_t run, SliceIndex slice) {
  const NodeIndex node = profile.view().call_path_lane().node_of(run, slice);
  if (node == kNoNode) return false;
  write_node(json, profile, run, node);
  const std::optional<SlicePosition> box = profile.view().innermost_box(run, slice);
  if (box) write_frames(json, profile, box->track, box->slice);
  return box.has_value();
}

}  // namespace cgpu
