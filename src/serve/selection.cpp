#include "serve/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "links/window.h"

namespace cgpu {

ChosenTracks::ChosenTracks(const Profile& profile, const std::vector<ViewTrackId>& wanted) {
  const std::vector<ViewTrack>& tracks = profile.view().tracks();
  for (const Run& run : profile.session().runs) chosen_.emplace_back(run.timeline.tracks.size());
  devices_.resize(profile.session().runs.size());
  const auto choose = [&](const ViewTrack& track) {
    chosen_[track.run][track.source][static_cast<size_t>(track.part)] = true;
  };
  for (const ViewTrackId id : wanted) {
    const ViewTrack& track = tracks[id];
    if (track.device) devices_[track.run].push_back(*track.device);
    if (track.source != kNone) {
      choose(track);
      continue;
    }
    if (!track.device || track.kind == ViewKind::counter) continue;
    for (const ViewTrack& other : tracks) {
      if (other.run == track.run && other.device == track.device && other.kind == ViewKind::stream) choose(other);
    }
  }
}

bool ChosenTracks::has_device(size_t run, int32_t device) const {
  return std::find(devices_[run].begin(), devices_[run].end(), device) != devices_[run].end();
}

namespace {

/// The window of a run on its clock. Empty where it has none of the selected steps.
Interval window_of(const Profile& profile, size_t run, const Selection& selection) {
  Interval window{INT64_MIN, INT64_MAX};
  const int64_t zero = profile.view().zero(run);
  const auto on_clock = [&](int64_t time) {
    int64_t sum = 0;
    return __builtin_add_overflow(time, zero, &sum) ? (time > 0 ? INT64_MAX : INT64_MIN) : sum;
  };
  if (selection.from) window.begin = on_clock(*selection.from);
  if (selection.to) window.end = on_clock(*selection.to);
  if (!selection.steps) return window;
  Interval steps{INT64_MAX, INT64_MIN};
  for (const Step& step : profile.facts().steps(run)) {
    if (step.number < selection.steps->first || step.number > selection.steps->second) continue;
    steps = {std::min(steps.begin, step.time.begin), std::max(steps.end, step.time.end)};
  }
  if (steps.begin > steps.end) return {zero, zero};
  return {std::max(window.begin, steps.begin), std::min(window.end, steps.end)};
}

void check_steps(const Profile& profile, const std::pair<int64_t, int64_t>& wanted) {
  for (size_t run = 0; run < profile.session().runs.size(); ++run) {
    for (const Step& step : profile.facts().steps(run)) {
      if (wanted.first <= step.number && step.number <= wanted.second) return;
    }
  }
  throw RequestError(kNotFound, fmt::format("the profile has no step {}", wanted.first));
}

}  // namespace

SelectedSession::SelectedSession(const Profile& profile, const Selection& selection) : whole_(profile.facts()) {
  const Session& whole = whole_.session();
  if (selection.steps) check_steps(profile, *selection.steps);
  const auto is_wanted = [&](const Run& run) { return !selection.rank || run.rank == *selection.rank; };
  if (std::none_of(whole.runs.begin(), whole.runs.end(), is_wanted)) {
    throw RequestError(kNotFound, fmt::format("the profile has no rank {}", selection.rank.value_or(0)));
  }
  const bool all_ranks = std::all_of(whole.runs.begin(), whole.runs.end(), is_wanted);
  if (all_ranks && !selection.has_window() && !selection.tracks) return;

  std::optional<ChosenTracks> chosen;
  if (selection.tracks) chosen.emplace(profile, *selection.tracks);
  std::vector<std::optional<Part>> parts;
  for (size_t i = 0; i < whole.runs.size(); ++i) {
    const Run& run = whole.runs[i];
    parts.emplace_back();
    if (!is_wanted(run)) continue;
    parts.back() = Part{window_of(profile, i, selection), {}};
    if (chosen) {
      parts.back()->takes = [&, i](TrackIndex track, SliceKind kind) {
        return chosen->has(i, track, part_of(run.timeline, track, kind));
      };
    }
  }
  part_ = cut_out(std::shared_ptr<const Session>(std::shared_ptr<void>(), &whole), parts);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]) part_->zeros.push_back(profile.view().zero(i));
  }
  part_facts_.emplace(*part_);
}

}  // namespace cgpu
