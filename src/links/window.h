// Selecting a part of a session: a time window, some tracks, or some devices.
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
  /// Whether slices of this kind on this track are kept; empty to keep all.
  std::function<bool(TrackIndex, SliceKind)> takes;
};

/// A session of these parts of the runs of `whole`; a run without a part is left out. Slices that cross the border of a
/// window are cut there (kClipped), so that times add up over adjacent windows; a slice of no duration belongs to the
/// window in which it starts. A device op whose launch call lies outside loses its launch; Run::part_of leads to the op
/// in Session::whole, which has it. Notes count what was cut and what lost its launch. Call trees, measured launches
/// and op graphs are not copied. If `whole` is a part itself, the result is a part of the session that it was cut out
/// of. O(slices).
Session cut_out(std::shared_ptr<const Session> whole, const std::vector<std::optional<Part>>& parts);

/// Replaces a session by its part in these windows, one for each run. Keeps call trees, measured launches and op
/// graphs.
void select_windows(Session& session, const std::vector<Interval>& windows);

/// Keeps the slices and instants on the tracks for which `keep` holds. No track is renumbered.
void select_tracks(Run& run, const std::function<bool(const Track&)>& keep);

/// Drops the ops of the devices for which `keep` does not hold, what else is on tracks that only such ops are on, and
/// the memory events of these devices. What the host did stays. Notes count what was dropped.
void select_devices(Run& run, const std::function<bool(int32_t)>& keep);

}  // namespace cgpu
