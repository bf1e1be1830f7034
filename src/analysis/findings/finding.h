// A finding: something in a profile that an expert would point at, with its evidence and what could be done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/critical_path/edge_times.h"
#include "base/interval_set.h"

namespace cgpu {

enum class Severity : uint8_t { critical, warning, info };
const char* text_of(Severity severity);  // "critical", ...

enum class Confidence : uint8_t { high, medium, low };
const char* text_of(Confidence confidence);  // "high", ...

/// Begins a title: "12.5% of the time", the share that the finding could save by itself. diagnose() puts it in.
inline constexpr std::string_view kShare = "{share}";
inline constexpr std::string_view kShareOfTime = "{share} of the time";

struct Finding {
  std::string rule;  // docs/diagnosis.md lists them
  std::string title;
  std::string evidence;
  std::string suggestion;
  std::string command;  // arguments of `cgpu table INPUT` that show more
  Confidence confidence = Confidence::medium;
  double precedence = 1;              // of two that save the same the one with more goes first
  bool counted_last = false;          // besides all that have a cause with a name, since it would take their time too
  bool shown_by_little = false;       // of the program, so that it is at most a warning
  std::optional<Interval> time = {};  // where it shows most, in ns from the start of the session
  std::optional<int64_t> rank = {};
  std::optional<int64_t> device = {};

  /// The what-if scenario without the problem; replay computes its gain. Absent where there is nothing to gain, or
  /// where `gain` is set.
  std::optional<EdgeTimes::Scenario> remedy = {};
  /// ns of all steps that it could save, where no replay can say it.
  std::optional<int64_t> gain = {};
  /// Of a stated gain that hides time behind the rest of the run: what of it is left where other findings take that
  /// rest away.
  std::optional<int64_t> gain_without_rest = {};
  /// Set by the rule where there is nothing to gain; else diagnose() derives it from the gain.
  Severity severity = Severity::info;

  // Filled by diagnose(): ns of wall time over all steps.
  std::optional<int64_t> recoverable = {};  // besides what the findings before it save
  std::optional<int64_t> recoverable_low = {};
  std::optional<int64_t> recoverable_high = {};  // by itself
  std::optional<int64_t> together = {};          // with the findings before it: by one replay, and what is stated
  std::string next_bound = {};                   // "After this, the host bounds the run"; empty where it is not known
};

}  // namespace cgpu
