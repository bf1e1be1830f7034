// /api/p/P/neighbor and /api/p/P/flows: from a slice to those it belongs with.
#include <algorithm>
#include <optional>

#include "serve/endpoints/endpoints.h"
#include "serve/endpoints/slice_waits.h"
#include "serve/http/parameters.h"

namespace cgpu {

namespace {

/// The slice of the profile that is behind a slice of a track: itself, or what a derived slice is about.
SliceIndex origin_of(const Profile& profile, const SlicePosition& placed) {
  const DerivedSlices* derived = profile.view().derived(placed.track);
  return derived ? derived->origin[placed.slice] : placed.slice;
}

std::optional<SlicePosition> beside(const TimelineView& view, const SlicePosition& placed, bool next) {
  const Lane lane = view.lanes(placed.track).lane(placed.lane);
  size_t position = lane.first_starting(placed.start);
  while (lane.slice(position) != placed.slice) ++position;  // slices without duration may begin together
  if (next ? position + 1 == lane.size() : position == 0) return std::nullopt;
  return view.find(placed.track, lane.slice(next ? position + 1 : position - 1));
}

/// The child that begins first: it lies on a lane below.
std::optional<SlicePosition> first_child(const TimelineView& view, const SlicePosition& placed) {
  const LaneIndex& lanes = view.lanes(placed.track);
  std::optional<SlicePosition> first;
  for (uint32_t number = placed.lane + 1; number < lanes.lanes(); ++number) {
    const Lane lane = lanes.lane(number);
    const int64_t end = std::min(placed.start + placed.duration, first ? first->start - 1 : INT64_MAX);
    for (size_t at = lane.first_starting(placed.start); at < lane.size() && lane.start(at) <= end; ++at) {
      if (view.parent(placed.track, lane.slice(at)) != placed.slice) continue;
      first = view.find(placed.track, lane.slice(at));
      break;
    }
  }
  return first;
}

std::optional<SliceIndex> linked(const Timeline& timeline, SliceIndex slice, bool forward) {
  for (const Link& link : timeline.links) {
    if (link.kind != Link::Kind::forward_backward) continue;
    if (forward ? link.to == slice : link.from == slice) return forward ? link.from : link.to;
  }
  return std::nullopt;
}

std::optional<SlicePosition> neighbor(const Profile& profile, const SlicePosition& placed, const std::string& where) {
  const TimelineView& view = profile.view();
  const size_t run = view.tracks()[placed.track].run;
  const Timeline& timeline = profile.session().runs[run].timeline;
  if (where == "next" || where == "previous") return beside(view, placed, where == "next");
  if (where == "child") return first_child(view, placed);
  if (where == "parent") {
    const SliceIndex above = view.parent(placed.track, placed.slice);
    if (above == kNone) return std::nullopt;
    return view.derived(placed.track) ? view.find(placed.track, above) : view.place(run, above);
  }
  const SliceIndex slice = origin_of(profile, placed);
  std::optional<SliceIndex> found;
  if (where == "launch") {
    if (slice == kNone) return std::nullopt;
    found = timeline.slices.launch[slice];
    if (*found == kNone) {
      const std::vector<SliceIndex> ops = profile.facts().launched_ops(run).of(slice);
      if (!ops.empty()) found = ops.front();
    }
  } else if (where == "forward" || where == "backward") {
    if (slice != kNone) found = linked(timeline, slice, where == "forward");
  } else {
    throw RequestError(kBadRequest, "to: next, previous, parent, child, launch, forward or backward was expected");
  }
  if (!found || *found == kNone) return std::nullopt;
  return view.place(run, *found);
}

}  // namespace

Answer answer_neighbor(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"track", "slice", "to"});
  const std::string where = parameters.required_text("to");
  const std::optional<SlicePosition> found = neighbor(profile, position_of(profile, parameters), where);
  JsonTextWriter json;
  if (found) {
    write_position(json, profile.view(), *found);
  } else {
    json.begin_object().end_object();
  }
  return json_answer(std::move(json).text());
}

Answer answer_flows(const Profile& profile, const Request& request) {
  constexpr size_t kMostArrows = 200;
  const SlicePosition placed = position_of(profile, Parameters(request, {"track", "slice"}));
  const TimelineView& view = profile.view();
  const size_t run = view.tracks()[placed.track].run;
  const Timeline& timeline = profile.session().runs[run].timeline;
  const SliceIndex slice = origin_of(profile, placed);
  JsonTextWriter json;
  json.begin_array();
  size_t arrows = 0;
  const auto write = [&](const char* kind, SliceIndex from, SliceIndex to) {
    if (arrows++ >= kMostArrows) return;
    json.begin_object().member("kind", kind).key("from");
    write_position(json, view, run, from);
    json.key("to");
    write_position(json, view, run, to);
    json.end_object();
  };
  if (slice != kNone) {
    if (timeline.slices.launch[slice] != kNone) write("launch", timeline.slices.launch[slice], slice);
    for (const SliceIndex op : profile.facts().launched_ops(run).of(slice)) write("launch", slice, op);
    for (const Link& link : timeline.links) {
      if (link.from != slice && link.to != slice) continue;
      write(link.kind == Link::Kind::forward_backward ? "forward_backward" : "flow", link.from, link.to);
    }
    for (const WaitArrow& arrow : wait_arrows(profile, run, slice)) write(arrow.kind, arrow.from, arrow.to);
  }
  json.end_array();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
