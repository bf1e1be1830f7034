// What a diagnosis judges: the loop of a program, not its start, nor its end.
//
// The steps without warm-up, with what lies between their marks where that is much; else what a run without marks
// repeats; else the time from the first launch to the end of the device work: docs/diagnosis.md,
// "How recoverable time is found".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/critical_path/periods.h"
#include "analysis/findings/warm_up_steps.h"
#include "analysis/session_facts.h"

namespace cgpu {

/// From this share of all on the time between marks is judged too, with the step after it.
inline constexpr double kBetweenMarks = 0.03;

/// From this share of all on the time until a device has done what was launched before the recording is not judged.
inline constexpr double kLeastEdge = 0.1;

struct JudgedPeriods {
  std::vector<Period> periods;
  /// The steps before them that took longer, and what the first of these did more.
  std::vector<Period> warm_up;
  std::vector<WarmUp::Excess> warm_up_excess;
  /// Whether a first step was left out in which the device still did what was launched before the recording.
  bool had_earlier_work = false;
  /// Marks without device work, which are no steps where others have some, and ns of them.
  int64_t empty_marks = 0;
  int64_t time_of_empty_marks = 0;
  /// ns at the begin of the first period that are left out of it: of the only run, which then did what was launched
  /// before the recording (idle/profile_edges.h). 0 where that is less than kLeastEdge of all.
  int64_t edge = 0;
  /// Whether the periods are what the run repeats, since it has no marks.
  bool are_repetitions = false;

  bool are_steps() const { return !periods.empty() && periods.front().step.has_value(); }
  /// Whether these are what marks of the profile say.
  bool has_marks() const { return are_steps() && !are_repetitions; }
  /// Whether the run does the same again and again, as marks say or as it shows.
  bool iterates() const { return has_marks() || are_repetitions; }
  /// ns of all of them.
  int64_t length() const;
  /// By run of the whole session: until which time in the graph nothing can be saved, since it is not judged. Where a
  /// loop or a selected part begins, or the edge is over; else 0 of whole runs with steps, whose first steps show what
  /// a host that is faster has done ahead.
  std::vector<int64_t> begins(const SessionFacts& facts) const;
};

/// Costs the graph of dependencies, unless that exists already.
JudgedPeriods judged_periods(const SessionFacts& facts);

}  // namespace cgpu
