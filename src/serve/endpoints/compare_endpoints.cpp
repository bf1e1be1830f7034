// /api/compare: what changed between two profiles. /api/compare/times: when in one is what is now in the other.
// /api/compare/names: how the device ops of each name changed. /api/compare/slice: the same work on the other side.
// /api/compare/aligned: the aligned device ops of a time. /api/compare/table/NAME: a table of the comparison.
#include "serve/endpoints/compare_endpoints.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "comparison/tables/comparison_table.h"
#include "comparison/words/change_words.h"
#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"
#include "table/json.h"

namespace cgpu {

namespace {

constexpr size_t kMostPoints = 65'536;  // of all ranks
constexpr size_t kMostPointsOfRank = 4'096;
constexpr size_t kLeastPointsOfRank = 64;  // however many ranks there are

/// The gap of a device around a time, the shortest where several devices have one; on the run's clock.
std::optional<SlicePosition> gap_around(const Profile& profile, size_t run, Interval time) {
  const TimelineView& view = profile.view();
  std::optional<SlicePosition> shortest;
  for (ViewTrackId track = 0; track < view.tracks().size(); ++track) {
    if (view.tracks()[track].lane->coverage != Coverage::idle || view.tracks()[track].run != run) continue;
    const DerivedSlices& gaps = *view.derived(track);
    const auto after = std::upper_bound(gaps.start.begin(), gaps.start.end(), time.begin);
    if (after == gaps.start.begin()) continue;
    const size_t gap = static_cast<size_t>(after - gaps.start.begin()) - 1;
    if (gaps.start[gap] + gaps.duration[gap] < time.end) continue;
    if (shortest && shortest->duration <= gaps.duration[gap]) continue;
    shortest = view.find(track, static_cast<SliceIndex>(gap));
  }
  return shortest;
}

/// The gap that a device op of a run ended.
std::optional<SlicePosition> gap_before(const Profile& profile, size_t run, SliceIndex op) {
  const TimelineView& view = profile.view();
  for (ViewTrackId track = 0; track < view.tracks().size(); ++track) {
    if (view.tracks()[track].lane->coverage != Coverage::idle || view.tracks()[track].run != run) continue;
    const std::vector<SliceIndex>& ends = view.derived(track)->origin;
    const auto found = std::find(ends.begin(), ends.end(), op);
    if (found != ends.end()) return view.find(track, static_cast<SliceIndex>(found - ends.begin()));
  }
  return std::nullopt;
}

void write_place(JsonTextWriter& json, const ComparedProfiles& compared, const Cause& cause, Side side) {
  const std::optional<Place>& place = cause.longest[side];
  json.key(side == Side::a ? "a" : "b");
  if (!place) {
    json.null();
    return;
  }
  const Profile& profile = compared.profile(side);
  // Of an op all of it, where it had to share its time with others too.
  const int64_t zero = profile.view().zero(place->run);
  const std::optional<SlicePosition> slice =
      place->slice == kNone
          ? gap_around(profile, place->run, place->time)
          : profile.view().place(place->run, compared.comparison().original_slice(side, place->run, place->slice));
  Interval time{place->time.begin - zero, place->time.end - zero};
  if (place->slice != kNone) time = {slice->start, slice->start + slice->duration};
  json.begin_object().member("start", time.begin).member("end", time.end).key("slice");
  if (slice) {
    write_position(json, profile.view(), *slice);
  } else {
    json.null();
  }
  json.end_object();
}

void write_table_member(JsonTextWriter& json, const Table& table) {
  std::ostringstream text;
  write_table_object(text, table);
  json.key(table.name).raw(text.str());
}

Answer answer_changes(const ComparedProfiles& compared, const Request& request) {
  const Parameters none(request, {});
  const Comparison& comparison = compared.comparison();
  JsonTextWriter json;
  json.begin_object()
      .member("words", change_words(comparison).all())
      .member("per_iteration", comparison.per_iteration())
      .key("tables")
      .begin_object();
  for (const ComparisonTable& declared : comparison_tables()) {
    if (declared.on_request) continue;
    const Table table = make_table(declared, comparison);
    if (table.empty()) continue;
    write_table_member(json, table);
  }
  json.end_object().key("places").begin_array();
  for (const ExplainedCause& explained : explained_causes(comparison)) {
    json.begin_object();
    for (const Side side : kSides) write_place(json, compared, *explained.cause, side);
    json.end_object();
  }
  json.end_array().end_object();
  return json_answer(std::move(json).text());
}

Answer answer_table_of_both(const ComparedProfiles& compared, const Request& request, std::string_view name) {
  const Parameters none(request, {});
  const std::vector<ComparisonTable>& declared = comparison_tables();
  const auto found =
      std::find_if(declared.begin(), declared.end(), [&](const ComparisonTable& each) { return each.name == name; });
  if (found == declared.end()) throw RequestError(kNotFound, "there is no such table of a comparison");
  JsonTextWriter json;
  json.begin_object().key("tables").begin_object();
  write_table_member(json, make_table(*found, compared.comparison()));
  json.end_object().end_object();
  return json_answer(std::move(json).text());
}

/// At most so many of them, two or more, the first and the last among these; a residual stands for those that it is
/// before.
std::vector<TimePoint> thinned(const std::vector<TimePoint>& points, size_t most) {
  if (points.size() <= most) return points;
  std::vector<TimePoint> kept;
  for (size_t i = 0; i < most; ++i) {
    const size_t at = i * (points.size() - 1) / (most - 1);
    const size_t next = i + 1 < most ? (i + 1) * (points.size() - 1) / (most - 1) : points.size();
    kept.push_back(points[at]);
    for (size_t left_out = at; left_out < next; ++left_out) {
      kept.back().residual = std::max(kept.back().residual, points[left_out].residual);
    }
  }
  return kept;
}

Answer answer_times(const ComparedProfiles& compared, const Request& request) {
  const Parameters none(request, {});
  const std::vector<TimesOfRanks>& ranks = compared.times();
  const size_t most =
      std::clamp(kMostPoints / std::max<size_t>(1, ranks.size()), kLeastPointsOfRank, kMostPointsOfRank);
  const auto rank = [&](Side side, size_t run) { return compared.profile(side).session().runs[run].rank; };
  JsonTextWriter json;
  json.begin_object().key("ranks").begin_array();
  for (const TimesOfRanks& times : ranks) {
    const std::vector<TimePoint> points = thinned(times.map.points(), most);
    const auto write_list = [&](const char* name, int64_t TimePoint::*member) {
      json.key(name).begin_array();
      for (const TimePoint& point : points) json.value(point.*member);
      json.end_array();
    };
    json.begin_object().member("rank_a", rank(Side::a, times.runs.a)).member("rank_b", rank(Side::b, times.runs.b));
    write_list("a", &TimePoint::a);
    write_list("b", &TimePoint::b);
    write_list("residual", &TimePoint::residual);
    json.end_object();
  }
  json.end_array().end_object();
  return json_answer(std::move(json).text());
}

Answer answer_partner(const ComparedProfiles& compared, const Request& request) {
  const Parameters parameters(request, {"side", "track", "slice"});
  const std::string wanted = parameters.required_text("side");
  if (wanted != "a" && wanted != "b") throw RequestError(kBadRequest, "side: a or b was expected");
  const Side side = wanted == "a" ? Side::a : Side::b;
  const Profile& profile = compared.profile(side);
  const SlicePosition placed = position_of(profile, parameters);
  const ViewTrack& track = profile.view().tracks()[placed.track];
  const DerivedSlices* derived = profile.view().derived(placed.track);
  const bool is_gap = track.lane->coverage == Coverage::idle;
  ComparedProfiles::Partner partner;
  if (derived == nullptr) {
    partner = compared.partner_of(side, track.run, placed.slice);
  } else if (is_gap) {
    partner = compared.partner_of(side, track.run, derived->origin[placed.slice]);
    partner.key.clear();
  }
  const Profile& theirs = compared.profile(other(side));
  std::optional<SlicePosition> found;
  if (partner.slice != kNone) {
    found = is_gap ? gap_before(theirs, partner.run, partner.slice) : theirs.view().place(partner.run, partner.slice);
  }
  JsonTextWriter json;
  json.begin_object();
  json.member("status", partner.status ? std::optional(text_of(*partner.status)) : std::nullopt);
  const std::string_view name = profile.view().names()[placed.name];
  json.member("key", shown_name(partner.key.empty() ? name : partner.key)).key("partner");
  if (found) {
    write_position(json, theirs.view(), *found);
  } else {
    json.null();
  }
  json.end_object();
  return json_answer(std::move(json).text());
}

Answer answer_aligned(const ComparedProfiles& compared, const Request& request) {
  constexpr size_t kMostPairs = 300;
  const Parameters parameters(request, {"from", "to", "track"});
  const Profile& a = compared.profile(Side::a);
  const Profile& b = compared.profile(Side::b);
  const auto [from, to] = parameters.window(a.view().span());
  const auto tracks = tracks_of(a, parameters);
  size_t total = 0;
  JsonTextWriter json;
  json.begin_object().key("pairs").begin_array();
  for (const auto& ops : compared.aligned_in({from.value_or(0), to.value_or(a.view().span())})) {
    const SlicePosition own = a.view().place(ops.run.a, ops.slice.a);
    if (tracks && !std::ranges::binary_search(*tracks, own.track)) continue;
    if (++total > kMostPairs) continue;
    json.begin_object().key("a");
    write_position(json, a.view(), own);
    json.key("b");
    write_position(json, b.view(), ops.run.b, ops.slice.b);
    json.end_object();
  }
  json.end_array().member("total", static_cast<int64_t>(total)).end_object();
  return json_answer(std::move(json).text());
}

Answer answer_names(const ComparedProfiles& compared, const Request& request) {
  const Parameters none(request, {});
  JsonTextWriter json;
  json.begin_object();
  for (const Side side : kSides) {
    const std::vector<ComparedProfiles::NameChange> changes = compared.name_changes(side);
    json.key(side == Side::a ? "a" : "b").begin_object().key("name").begin_array();
    for (const ComparedProfiles::NameChange& change : changes) json.value(int64_t{change.name});
    json.end_array().key("ratio").begin_array();
    for (const ComparedProfiles::NameChange& change : changes) json.value(change.ratio);
    json.end_array().end_object();
  }
  json.end_object();
  return json_answer(std::move(json).text());
}

}  // namespace

Answer answer_compare(const ComparedProfiles& compared, const Request& request, std::string_view what) {
  if (what.empty()) return answer_changes(compared, request);
  if (what == "/times") return answer_times(compared, request);
  if (what == "/names") return answer_names(compared, request);
  if (what == "/slice") return answer_partner(compared, request);
  if (what == "/aligned") return answer_aligned(compared, request);
  if (what == "/flame") return answer_compared_flame(compared, request);
  constexpr std::string_view kTable = "/table/";
  if (what.starts_with(kTable)) return answer_table_of_both(compared, request, what.substr(kTable.size()));
  throw RequestError(kNotFound, "there is no such request");
}

}  // namespace cgpu
