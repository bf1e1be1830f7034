// A part of a session: a window of time, iterations, some ranks, some devices, one thread of a call tree, some tracks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/session_facts.h"
#include "links/window.h"
#include "model/run.h"
#include "session/selection/number_list.h"

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
  /// Throws Error where it begins after its end.
  void check_window() const;
  bool empty() const { return !has_window() && ranks.empty() && devices.empty() && profile.empty() && !takes; }
};

/// What the selection keeps of each run, by index; nothing of a run that it leaves out. Each rank has its own steps.
/// Does not look at `devices` and `profile`. Throws Error for a rank or steps that the session does not have.
std::vector<std::optional<Part>> parts_of(const SessionFacts& facts, const Selection& selection);

/// The window on the clock of a run whose zero and steps these are; empty at the zero where it has none of the selected
/// steps.
Interval window_of_run(const Selection& selection, int64_t zero, const std::vector<Step>& steps);

/// Which steps there are in the runs that were seen.
class KnownSteps {
 public:
  void add(const std::vector<Step>& steps);
  /// Throws Error where there is none of these.
  void check(const NumberRange& wanted) const;

 private:
  std::set<int64_t> numbers_;
};

/// Drops the runs of other ranks; of a run that is of several ranks, what other ranks did. Throws Error for ranks that
/// there are not.
void select_ranks(Session& session, const NumberList& wanted);
/// Throws Error for devices that the session does not have.
void check_devices(const Session& session, const NumberList& wanted);

/// The part of a session that stays open meanwhile, as a session of its own (links/window.h: cut_out); call trees and
/// measured launches, which have no times, stay with the whole. Its times count from the start of the whole.
Session part_of_session(const SessionFacts& facts, const Selection& selection);

/// Replaces a session by its selected part, which keeps all that has no times. Runs that hold several ranks are cut
/// down to the selected ones; of devices that are not selected go the ops and what else is on their streams. Throws
/// Error for what the session does not have.
void select(Session& session, const Selection& selection);

/// "1500", "250us", "1.5ms", "2s": ns. Throws Error that begins with `option`.
int64_t parse_time(const std::string& text, const std::string& option);

}  // namespace cgpu
