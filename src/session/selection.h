// A part of a session: a window of time, iterations, some ranks, some devices, one thread of a call tree, some tracks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/session_facts.h"
#include "links/window.h"
#include "model/run.h"
#include "session/number_list.h"

namespace cgpu {

struct Selection {
  std::optional<int64_t> from;  // ns from the start of the session
  std::optional<int64_t> to;    // ns, not included
  std::optional<NumberRange> steps;
  NumberList ranks;     // empty for all
  NumberList devices;   // empty for all
  std::string profile;  // of a call tree: a thread or stream, by its name or its number in the table `profiles`
  /// Whether slices of a kind on a track of a run are kept; empty for all.
  std::function<bool(size_t run, TrackIndex track, SliceKind kind)> takes;

  bool has_window() const { return from || to || steps; }
  bool empty() const { return !has_window() && ranks.empty() && devices.empty() && profile.empty() && !takes; }
};

/// What the selection keeps of each run, by index; nothing of a run that it leaves out. Each rank has its own steps.
/// Does not look at `devices` and `profile`. Throws Error for a rank or steps that the session does not have.
std::vector<std::optional<Part>> parts_of(const SessionFacts& facts, const Selection& selection);

/// The part of a session that stays open meanwhile, as a session of its own (links/window.h: cut_out); call trees and
/// measured launches, which have no times, stay with the whole. Its times count from the start of the whole.
Session part_of_session(const SessionFacts& facts, const Selection& selection);

/// Puts in the place of a session its selected part, which keeps all that has no times. Runs that hold several ranks
/// are cut down to the selected ones; of devices that are not selected go the ops and what else is on their streams.
/// Throws Error for what the session does not have.
void select(Session& session, const Selection& selection);

/// "1500", "250us", "1.5ms", "2s": ns. Throws Error that begins with `option`.
int64_t parse_time(const std::string& text, const std::string& option);

}  // namespace cgpu
