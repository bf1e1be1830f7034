// The periods for which critical paths are computed: the steps of a session, or all of it where it has no steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/session_facts.h"
#include "dependencies/graph.h"

namespace cgpu {

/// From one moment of a run to another, in the graph of the whole session.
struct Period {
  size_t run = 0;               // of the whole session
  std::optional<int64_t> step;  // absent where the run has no steps
  MomentIndex first = 0;        // at its begin, or the last moment before
  MomentIndex last = 0;         // at its end: what ended it
  int64_t begin = 0;            // ns after the start of the graph
  int64_t end = 0;              // of `last`
  SliceIndex mark = kNone;      // of a step
  /// Of a step: it begins where another step ended (`first` is that one's last), with what lies between the marks.
  bool has_time_before_mark = false;
};

/// The last moment of a run until a time (in the graph); the start of the graph where there is none. One at which
/// something ends goes before one at the same time at which something begins. O(log moments), and back over those of
/// other runs.
MomentIndex last_moment(const DependencyGraph& graph, size_t run, int64_t time);

/// A time in the graph of a whole session, on a run's clock, as tables show it: ns from the start of the session.
inline int64_t shown_time(const SessionFacts& whole, size_t run, int64_t time) {
  return time + whole.dependencies().zero(run) - whole.zeros()[run];
}

/// What the period of a run without steps is.
enum class Unmarked : uint8_t {
  all,  // all that its device ops and the threads that launch them lasted
  /// From the first launch to the end of the last device op. Of a first launch call that takes longer, since it loads
  /// code, from its end, or from 30 us (kLongestStart) before the first op.
  loop,
};

/// Of each run its steps, or what it is without them. Of a part of a session those of the part. O(moments).
std::vector<Period> periods_of_runs(const SessionFacts& facts, Unmarked unmarked = Unmarked::all);

/// Of the whole session: where the clocks of its runs can be compared, of each step the run that ends it last; else as
/// periods_of_runs.
std::vector<Period> periods_of_session(const SessionFacts& facts, Unmarked unmarked = Unmarked::all);

/// Of a session of one run without steps the repetitions of its device ops (steps/repeated_sequence.h), numbered from
/// 0; empty where there are none, or where they are less than kLeastRepeated of the time of the run.
std::vector<Period> periods_of_repetitions(const SessionFacts& facts);
inline constexpr double kLeastRepeated = 0.8;

/// By moment of the graph of a whole session: the end of the period of its run that it lies in or that comes next, no
/// earlier than itself; the last moment of all where there is none. O(moments log steps).
std::vector<int64_t> period_ends(const SessionFacts& whole);

}  // namespace cgpu
