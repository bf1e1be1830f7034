// /api/p/P/functions: how long each function was the frame at a depth of the call paths, over tracks and a time.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"

namespace cgpu {

namespace {

/// What a function has at the depth.
struct AtDepth {
  int64_t time = 0;  // ns, summed over the tracks
  uint32_t tracks = 0;
  ViewTrackId last_track = kNone;
  uint16_t colour = 0;
};

int64_t sum_of(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// Those that were asked for: all tracks of call paths where none are named.
std::vector<ViewTrackId> path_tracks(const Profile& profile, const Parameters& parameters) {
  const TimelineView& view = profile.view();
  if (const auto wanted = tracks_of(profile, parameters)) {
    for (const ViewTrackId track : *wanted) {
      if (view.tracks()[track].samples != kNone) continue;
      throw RequestError(kBadRequest, "track: " + std::to_string(track) + " has no call paths");
    }
    return *wanted;
  }
  std::vector<ViewTrackId> tracks;
  for (ViewTrackId track = 0; track < view.tracks().size(); ++track) {
    if (view.tracks()[track].samples != kNone) tracks.push_back(track);
  }
  return tracks;
}

}  // namespace

Answer answer_functions(const Profile& profile, const Request& request) {
  const TimelineView& view = profile.view();
  const Parameters parameters(request, {"depth", "from", "to", "track"});
  const auto depth = static_cast<uint32_t>(parameters.required_integer("depth", 1, kMostPathLanes));
  const TimeWindow window = parameters.window(view.span());
  const int64_t from = window.from.value_or(0);
  const int64_t to = window.to.value_or(view.span());
  const std::vector<ViewTrackId> tracks = path_tracks(profile, parameters);

  std::map<uint32_t, AtDepth> functions;  // by name
  int64_t total = 0;
  for (const ViewTrackId track : tracks) {
    view.at_depth(track, depth)->for_each_in(from, to, [&](SliceIndex box, int64_t time) {
      const SliceStyle style = view.style(track, box);
      AtDepth& function = functions[style.name];
      function.colour = style.colour;
      function.time = sum_of(function.time, time);
      total = sum_of(total, time);
      if (function.last_track != track) ++function.tracks;
      function.last_track = track;
    });
  }
  using Function = std::pair<uint32_t, AtDepth>;
  std::vector<Function> sorted(functions.begin(), functions.end());
  std::ranges::stable_sort(sorted, [](const Function& a, const Function& b) { return a.second.time > b.second.time; });

  JsonTextWriter json;
  json.begin_object()
      .member("depth", depth)
      .member("from", from)
      .member("to", to)
      .member("tracks", tracks.size())
      .member("total", total)
      .key("functions")
      .begin_array();
  for (const auto& [name, function] : sorted) {
    json.begin_object()
        .member("id", name)
        .member("name", shown_name(view.names()[name]))
        .member("colour", function.colour)
        .member("time", function.time)
        .member("tracks", function.tracks)
        .end_object();
  }
  json.end_array().end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
