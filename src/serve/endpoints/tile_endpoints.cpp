// /api/p/P/tile, /api/p/P/counter, /api/p/P/activity: a track at one resolution. /api/p/P/tiles: several at once.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"
#include "tiles/bytes.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

struct Wanted {
  ViewTrackId track;
  TilePlace place;
};

/// That at which tracks of call paths are wanted; absent: with all depths, a lane each.
std::optional<uint32_t> depth_of(const Parameters& parameters) {
  const std::optional<int64_t> depth = parameters.integer("depth", 1, kMostPathLanes);
  return depth ? std::optional(static_cast<uint32_t>(*depth)) : std::nullopt;
}

std::string slice_tile(const TimelineView& view, const Wanted& wanted, std::optional<uint32_t> depth) {
  return depth ? view.tile_at_depth(wanted.track, *depth, wanted.place) : view.tile(wanted.track, wanted.place);
}

constexpr size_t kMostTiles = 256;  // in one request

Wanted checked(const Profile& profile, int64_t track, int64_t level, int64_t index) {
  if (track >= static_cast<int64_t>(profile.view().tracks().size())) {
    throw RequestError(kNotFound, "there is no track " + std::to_string(track));
  }
  const Wanted wanted{static_cast<ViewTrackId>(track), {static_cast<int>(level), index}};
  if (!wanted.place.is_valid()) throw RequestError(kBadRequest, "index: out of range at this level");
  return wanted;
}

Wanted wanted_of(const Profile& profile, const Parameters& parameters) {
  return checked(profile, parameters.required_integer("track", 0, UINT32_MAX),
                 parameters.required_integer("level", 0, kHighestLevel),
                 parameters.required_integer("index", INT64_MIN, INT64_MAX));
}

/// A tile of the kind that the track is drawn from.
std::string tile_of(const TimelineView& view, const Wanted& wanted, std::optional<uint32_t> depth) {
  switch (view.tracks()[wanted.track].lane->drawing) {
    case Drawing::counter:
      return view.counter_tile(wanted.track, wanted.place);
    case Drawing::activity:
      return view.activity_tile(wanted.track, wanted.place);
    case Drawing::slices:
      break;
  }
  return slice_tile(view, wanted, depth);
}

Answer binary(std::string body) {
  Answer answer;
  answer.type = "application/octet-stream";
  answer.body = std::move(body);
  return answer;
}

void check_drawing(const Profile& profile, ViewTrackId track, Drawing wanted) {
  const LaneDeclaration& lane = *profile.view().tracks()[track].lane;
  if (lane.drawing == wanted) return;
  throw RequestError(kNotFound, fmt::format("track {} is of kind {} and has no such tiles", track, lane.kind));
}

}  // namespace

Answer answer_tile(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"track", "level", "index", "depth"});
  const Wanted wanted = wanted_of(profile, parameters);
  check_drawing(profile, wanted.track, Drawing::slices);
  return binary(slice_tile(profile.view(), wanted, depth_of(parameters)));
}

Answer answer_counter(const Profile& profile, const Request& request) {
  const Wanted wanted = wanted_of(profile, Parameters(request, {"track", "level", "index"}));
  check_drawing(profile, wanted.track, Drawing::counter);
  return binary(profile.view().counter_tile(wanted.track, wanted.place));
}

Answer answer_activity(const Profile& profile, const Request& request) {
  const Wanted wanted = wanted_of(profile, Parameters(request, {"track", "level", "index"}));
  check_drawing(profile, wanted.track, Drawing::activity);
  return binary(profile.view().activity_tile(wanted.track, wanted.place));
}

Answer answer_tiles(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"level", "track", "index", "depth"});
  const int64_t level = parameters.required_integer("level", 0, kHighestLevel);
  const std::optional<uint32_t> depth = depth_of(parameters);
  const auto tracks = parameters.integers("track", 0, UINT32_MAX);
  const auto indexes = parameters.integers("index", INT64_MIN, INT64_MAX);
  if (!tracks || !indexes || tracks->size() != indexes->size() || tracks->size() > kMostTiles) {
    throw RequestError(kBadRequest, "track and index: as many numbers of each, at most 256, were expected");
  }
  std::string header;
  append_number(header, magic("CGB1"));
  append_number(header, static_cast<uint32_t>(tracks->size()));
  std::string bodies;
  for (size_t i = 0; i < tracks->size(); ++i) {
    const std::string tile = tile_of(profile.view(), checked(profile, (*tracks)[i], level, (*indexes)[i]), depth);
    append_number(header, static_cast<uint32_t>(tile.size()));
    bodies += tile;
    pad_to_8(bodies);
  }
  pad_to_8(header);
  return binary(header + bodies);
}

}  // namespace cgpu
