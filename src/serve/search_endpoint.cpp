// /api/search: slices by a part of their name. O(text of all names + slices), with nothing kept: the matching names are
// found first, and one pass over the slices' name numbers finds theirs.
#include <re2/re2.h>

#include <algorithm>

#include "serve/endpoints.h"
#include "serve/parameters.h"

namespace cgpu {

namespace {

struct Match {
  int64_t start;
  size_t run;
  SliceIndex slice;
  bool operator<(const Match& other) const {
    return start != other.start ? start < other.start : run != other.run ? run < other.run : slice < other.slice;
  }
};

std::vector<uint8_t> matching_names(const SharedNames& names, const std::string& text, bool regex) {
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_literal(!regex);
  options.set_log_errors(false);
  const RE2 pattern(text, options);
  if (!pattern.ok()) throw RequestError(kBadRequest, "q: " + pattern.error());
  std::vector<uint8_t> matches(names.size());
  for (uint32_t name = 0; name < names.size(); ++name) {
    const std::string_view candidate = names[name];
    matches[name] = RE2::PartialMatch(re2::StringPiece(candidate.data(), candidate.size()), pattern) ? 1 : 0;
  }
  return matches;
}

/// The first `limit` in order of time (the last where the search goes back), and how many there are in all.
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

}  // namespace

Answer answer_search(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"q", "regex", "track", "at", "direction", "limit"});
  const TimelineView& view = profile.view();
  const std::string text = parameters.required_text("q");
  if (text.empty()) throw RequestError(kBadRequest, "q is empty");
  const std::string direction = parameters.text("direction").value_or("next");
  if (direction != "next" && direction != "previous") {
    throw RequestError(kBadRequest, "direction: next or previous was expected");
  }
  const bool backwards = direction == "previous";
  const auto at = parameters.integer("at", -kLatestTime, kLatestTime);
  Found found(static_cast<size_t>(parameters.integer("limit", 0, 10'000).value_or(100)), backwards);
  std::vector<bool> wanted_tracks;
  if (const auto tracks = parameters.integers("track", 0, static_cast<int64_t>(view.tracks().size()) - 1)) {
    wanted_tracks.resize(view.tracks().size());
    for (const int64_t track : *tracks) wanted_tracks[static_cast<size_t>(track)] = true;
  }

  const std::vector<uint8_t> names = matching_names(view.names(), text, parameters.flag("regex"));
  std::vector<bool> used(names.size());
  uint64_t total = 0;
  for (size_t run = 0; run < profile.session().runs.size(); ++run) {
    const Slices& slices = profile.session().runs[run].timeline.slices;
    const int64_t zero = view.zero(run);
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      const uint32_t name = view.names().of(run, slices.name[slice]);
      if (names[name] == 0) continue;
      if (!wanted_tracks.empty() && !wanted_tracks[view.track_of(run, slice)]) continue;
      ++total;
      used[name] = true;
      const int64_t start = slices.start[slice] - zero;
      if (at && (backwards ? start > *at : start < *at)) continue;
      found.add({start, run, slice});
    }
  }
  JsonTextWriter json;
  json.begin_object()
      .member("total", total)
      .member("names", std::count(used.begin(), used.end(), true))
      .key("matches")
      .begin_array();
  for (const Match& match : std::move(found).in_order())
    write_placed(json, profile, view.place(match.run, match.slice));
  json.end_array().end_object();
  Answer answer;
  answer.body = std::move(json).text();
  return answer;
}

}  // namespace cgpu
