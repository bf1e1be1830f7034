// /api/p/P/search: slices by a part of their name, those of the profile and those that the viewer derives. O(text of
// all names + slices), with nothing kept: the matching names are found first, and one pass over the slices' name
// numbers finds theirs. Or slices by one of their arguments (argument_search.h).
#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"
#include "serve/text_pattern.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

struct Match {
  int64_t start;
  ViewTrackId derived;  // the track of a derived slice; kNone for a slice of the profile
  size_t run;
  SliceIndex slice;
  bool operator<(const Match& other) const {
    if (start != other.start) return start < other.start;  // mostly: nothing else is looked at
    return std::tie(derived, run, slice) < std::tie(other.derived, other.run, other.slice);
  }
};

/// The first `limit` in order of time (the last where the search goes back).
class Found {
 public:
  Found(size_t limit, bool backwards) : limit_(limit), backwards_(backwards) {}
  void add(const Match& match) {
    if (best_.size() == limit_ && !(limit_ > 0 && comes_first(match, best_.front()))) return;
    const auto later_on_top = [this](const Match& a, const Match& b) { return comes_first(a, b); };
    if (best_.size() == limit_) {
      std::pop_heap(best_.begin(), best_.end(), later_on_top);
      best_.pop_back();
    }
    best_.push_back(match);
    std::push_heap(best_.begin(), best_.end(), later_on_top);
  }
  std::vector<Match> in_order() && {
    std::sort(best_.begin(), best_.end(), [this](const Match& a, const Match& b) { return comes_first(a, b); });
    return std::move(best_);
  }

 private:
  bool comes_first(const Match& a, const Match& b) const { return backwards_ ? b < a : a < b; }
  size_t limit_;
  bool backwards_;
  std::vector<Match> best_;  // a heap, the one to be dropped next on top
};

/// One search: which names match, and all slices that are called so.
class Search {
 public:
  /// `own`: without derived slices.
  Search(const Profile& profile, std::vector<bool> tracks, bool own)
      : profile_(profile),
        view_(profile.view()),
        tracks_(std::move(tracks)),
        own_(own),
        matches_(view_.names().size()),
        used_(view_.names().size()) {}

  /// Calls take(match) for each slice.
  template <typename Take>
  void run(const TextPattern& pattern, Take take) {
    for (uint32_t name = 0; name < matches_.size(); ++name) matches_[name] = pattern.is_in(view_.names()[name]) ? 1 : 0;
    std::vector<NameMatches> of_runs;
    for (size_t run = 0; run < profile_.session().runs.size(); ++run) of_runs.push_back(search_run(run, take));
    if (own_) return;
    for (const std::unique_ptr<LaneSource>& lane : view_.sources()) {
      if (!lane) continue;
      for (const auto& [name, text] : lane->synonyms()) {
        if (pattern.is_in(text)) matches_[name] = 1;
      }
    }
    for (ViewTrackId id = 0; id < view_.tracks().size(); ++id) {
      const ViewTrack& track = view_.tracks()[id];
      const LaneSource* lane = view_.source(track);
      if (!lane || !view_.has_slices(id) || !is_wanted(id)) continue;
      if (track.lane->is_found_on_demand) continue;  // what it is about is found where it lies
      if (lane->can_match(track, of_runs[track.run])) search_lane(id, *lane, take);
    }
  }

  /// The same for slices that are known already.
  template <typename Take>
  void run_arguments(const ArgumentSearch::Slices& slices, Take take) {
    for (size_t run = 0; run < slices.size(); ++run) {
      const Slices& all = profile_.session().runs[run].timeline.slices;
      for (const SliceIndex slice : slices[run]) {
        if (!is_wanted(view_.track_of(run, slice))) continue;
        found(view_.names().of(run, all.name[slice]), {all.start[slice] - view_.zero(run), kNone, run, slice}, take);
      }
    }
  }

  uint64_t total() const { return total_; }
  int64_t names() const { return std::count(used_.begin(), used_.end(), uint8_t{1}); }

 private:
  bool is_wanted(ViewTrackId track) const { return tracks_.empty() || tracks_[track]; }

  template <typename Take>
  NameMatches search_run(size_t run, Take take) {
    const Timeline& timeline = profile_.session().runs[run].timeline;
    const Slices& slices = timeline.slices;
    const int64_t zero = view_.zero(run);
    const uint8_t* const matches = matches_.data();
    const auto names = slices.name.values();
    std::vector<uint8_t> categories(timeline.categories.size());  // of slices that are called so
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      const uint32_t name = view_.names().of(run, names[slice]);
      if (matches[name] == 0) continue;
      categories[slices.category[slice]] = 1;
      if (!tracks_.empty() && !tracks_[view_.track_of(run, slice)]) continue;
      found(name, {slices.start[slice] - zero, kNone, run, slice}, take);
    }
    NameMatches matching{matches_};
    for (size_t i = 0; i < categories.size(); ++i) {
      if (categories[i] != 0) matching.kinds[static_cast<size_t>(timeline.categories[i].kind)] = true;
    }
    return matching;
  }

  template <typename Take>
  void search_lane(ViewTrackId id, const LaneSource& lane, Take take) {
    const ViewTrack& track = view_.tracks()[id];
    const auto visit = [&](SliceIndex slice, uint32_t name, int64_t start) {
      if (matches_[name] != 0) found(name, {start - view_.zero(track.run), id, track.run, slice}, take);
    };
    if (lane.for_each_name(track, visit)) return;
    const DerivedSlices& slices = *view_.derived(id);
    for (SliceIndex slice = 0; slice < slices.size(); ++slice)
      visit(slice, view_.style(id, slice).name, slices.start[slice]);
  }

  template <typename Take>
  void found(uint32_t name, const Match& match, Take take) {
    ++total_;
    used_[name] = 1;
    take(match);
  }

  const Profile& profile_;
  const TimelineView& view_;
  std::vector<bool> tracks_;  // empty: all
  bool own_;
  std::vector<uint8_t> matches_;  // by name
  std::vector<uint8_t> used_;     // by name
  uint64_t total_ = 0;
};

/// The track and slice that the search goes on from.
std::optional<Match> match_of(const Profile& profile, const std::optional<std::vector<int64_t>>& past) {
  if (!past) return std::nullopt;
  if (past->size() != 2) throw RequestError(kBadRequest, "past: a track and a slice were expected");
  const TimelineView& view = profile.view();
  const auto placed = view.find(static_cast<ViewTrackId>((*past)[0]), static_cast<SliceIndex>((*past)[1]));
  if (!placed) throw RequestError(kNotFound, "past: there is no such slice");
  const ViewTrackId derived = view.derived(placed->track) != nullptr ? placed->track : kNone;
  return Match{placed->start, derived, view.tracks()[placed->track].run, placed->slice};
}

}  // namespace

Answer answer_search(const Profile& profile, const Request& request) {
  const Parameters parameters(request,
                              {"q", "argument", "equal", "regex", "own", "track", "at", "past", "direction", "limit"});
  const TimelineView& view = profile.view();
  const std::string text = parameters.required_text("q");
  const auto argument = parameters.text("argument");
  if (text.empty() && !argument) throw RequestError(kBadRequest, "q is empty");
  const std::string direction = parameters.text("direction").value_or("next");
  if (direction != "next" && direction != "previous") {
    throw RequestError(kBadRequest, "direction: next or previous was expected");
  }
  const bool backwards = direction == "previous";
  const auto at = parameters.time("at", view.span());
  const std::optional<Match> past = match_of(profile, parameters.integers("past", 0, UINT32_MAX));
  Found found(static_cast<size_t>(parameters.integer("limit", 0, 10'000).value_or(100)), backwards);
  std::vector<bool> tracks;
  if (const auto wanted = tracks_of(profile, parameters)) {
    tracks.resize(view.tracks().size());
    for (const ViewTrackId track : *wanted) tracks[track] = true;
  }

  const bool regex = parameters.flag("regex");
  Search search(profile, std::move(tracks), parameters.flag("own"));
  uint64_t reached = 0;  // of those from `at` or `past` on
  const auto take = [&](const Match& match) {
    if (at && (backwards ? match.start > *at : match.start < *at)) return;
    if (past && !(backwards ? match < *past : *past < match)) return;
    ++reached;
    found.add(match);
  };
  if (argument) {
    search.run_arguments(*profile.find_argument({*argument, text, regex, parameters.flag("equal")}), take);
  } else {
    search.run(TextPattern(text, regex), take);
  }
  JsonTextWriter json;
  json.begin_object().member("total", search.total()).member("names", search.names());
  if (reached > 0) json.member("first", backwards ? reached : search.total() - reached + 1);
  json.key("matches").begin_array();
  for (const Match& match : std::move(found).in_order()) {
    write_position(
        json, view,
        match.derived != kNone ? *view.find(match.derived, match.slice) : view.place(match.run, match.slice));
  }
  json.end_array().end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
