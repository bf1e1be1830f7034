// A part of a session: what happened between two moments, or on some tracks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/interval_set.h"
#include "model/run.h"

namespace cgpu {

/// What is kept of a run.
struct Part {
  Interval window{INT64_MIN, INT64_MAX};  // on the run's clock
  /// Whether slices of a kind on a track are kept; empty for all.
  std::function<bool(TrackIndex, SliceKind)> takes;
};

/// Parts of the runs of `whole`, by run; where there is none, the run is left out. Slices that reach over a border of
/// the window are cut there (kClipped), so that times add up over neighbouring windows; slices of no duration belong to
/// the window in which they start. A device op whose launch call lies outside keeps no launch; Run::part_of leads to
/// what is known of it. What was cut, and what lost its launch, is counted in notes. Call trees, measured launches and
/// op graphs stay with `whole`. O(slices), and little more than a look at each that lies outside.
Session cut_out(std::shared_ptr<const Session> whole, const std::vector<std::optional<Part>>& parts);

/// Puts in the place of a session its part in these windows, by run. What has no times stays.
void select_windows(Session& session, const std::vector<Interval>& windows);

/// Keeps what happened on the tracks for which `keep` holds, and these tracks' place among all: none is renumbered.
void select_tracks(Run& run, const std::function<bool(const Track&)>& keep);

}  // namespace cgpu
