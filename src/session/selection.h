// A part of a session: a window of time, iterations, one rank, one thread of a call tree, some tracks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/session_facts.h"
#include "links/window.h"
#include "model/run.h"

namespace cgpu {

struct Selection {
  std::optional<int64_t> from;                       // ns from the start of the session
  std::optional<int64_t> to;                         // ns, not included
  std::optional<std::pair<int64_t, int64_t>> steps;  // numbers of the first and the last
  std::optional<int64_t> rank;
  std::string profile;  // of a call tree: a thread or stream, by its name or its number in the table `profiles`
  /// Whether slices of a kind on a track of a run are kept; empty for all.
  std::function<bool(size_t run, TrackIndex track, SliceKind kind)> takes;

  bool has_window() const { return from || to || steps; }
  bool empty() const { return !has_window() && !rank && profile.empty() && !takes; }
};

/// What the selection keeps of each run, by index; nothing of a run that it leaves out. Each rank has its own steps.
/// Does not look at `profile`. Throws Error for a rank or steps that the session does not have.
std::vector<std::optional<Part>> parts_of(const SessionFacts& facts, const Selection& selection);

/// The part of a session that stays open meanwhile, as a session of its own (links/window.h: cut_out); call trees and
/// measured launches, which have no times, stay with the whole. Its times count from the start of the whole.
Session part_of_session(const SessionFacts& facts, const Selection& selection);

/// Puts in the place of a session its selected part, which keeps all that has no times. Runs that hold several ranks
/// are cut down to the selected one. Throws Error for what the session does not have.
void select(Session& session, const Selection& selection);

/// "N" or "N-M": iterations. Throws Error.
std::pair<int64_t, int64_t> parse_steps(const std::string& text);
/// "1500", "250us", "1.5ms", "2s": ns. Throws Error that begins with `option`.
int64_t parse_time(const std::string& text, const std::string& option);

}  // namespace cgpu
