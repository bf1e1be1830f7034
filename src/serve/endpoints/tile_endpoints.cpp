// /api/p/P/tile, /api/p/P/counter, /api/p/P/activity: a track at one resolution.
#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"

namespace cgpu {

namespace {

struct Wanted {
  ViewTrackId track;
  TilePlace place;
};

Wanted wanted_of(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"track", "level", "index"});
  Wanted wanted{};
  const auto tracks = static_cast<int64_t>(profile.view().tracks().size());
  wanted.track = static_cast<ViewTrackId>(parameters.required_integer("track", 0, UINT32_MAX));
  if (wanted.track >= tracks) throw RequestError(kNotFound, "there is no track " + std::to_string(wanted.track));
  wanted.place.level = static_cast<int>(parameters.required_integer("level", 0, kHighestLevel));
  wanted.place.index = parameters.required_integer("index", INT64_MIN, INT64_MAX);
  if (!wanted.place.is_valid()) throw RequestError(kBadRequest, "index: out of range at this level");
  return wanted;
}

Answer binary(std::string body) {
  Answer answer;
  answer.type = "application/octet-stream";
  answer.body = std::move(body);
  return answer;
}

[[noreturn]] void throw_other_kind(const Profile& profile, ViewTrackId track) {
  throw RequestError(kNotFound, "track " + std::to_string(track) + " is of kind " +
                                    text_of(profile.view().tracks()[track].kind) + " and has no such tiles");
}

}  // namespace

Answer answer_tile(const Profile& profile, const Request& request) {
  const Wanted wanted = wanted_of(profile, request);
  if (!profile.view().has_slices(wanted.track)) throw_other_kind(profile, wanted.track);
  return binary(profile.view().tile(wanted.track, wanted.place));
}

Answer answer_counter(const Profile& profile, const Request& request) {
  const Wanted wanted = wanted_of(profile, request);
  if (profile.view().tracks()[wanted.track].kind != ViewKind::counter) throw_other_kind(profile, wanted.track);
  return binary(profile.view().counter_tile(wanted.track, wanted.place));
}

Answer answer_activity(const Profile& profile, const Request& request) {
  const Wanted wanted = wanted_of(profile, request);
  if (profile.view().tracks()[wanted.track].kind != ViewKind::busy) throw_other_kind(profile, wanted.track);
  return binary(profile.view().activity_tile(wanted.track, wanted.place));
}

}  // namespace cgpu
