// A line of verdicts.jsonl: what `cgpu watch` says of a run. docs/watch.md lists the members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/check/check.h"
#include "watch/watched_folder.h"

namespace cgpu {

/// What became of a run: that of a check (gate/check/check.h), or that there was none.
enum class WatchOutcome : uint8_t { pass, regression, inconclusive, not_comparable, no_baseline, error };
inline constexpr size_t kWatchOutcomes = 6;
const char* text_of(WatchOutcome outcome);  // "pass", ..., "not comparable", "no baseline", "error"
WatchOutcome watch_outcome_of(Outcome outcome);

struct VerdictLine {
  std::string profile;                      // name of the entry
  EntryVersion version = {};                // of it
  std::optional<std::string> summary = {};  // name of its file in the output folder; absent for an error
  WatchOutcome outcome = WatchOutcome::error;
  std::optional<std::string> headline = {};  // of the check
  std::optional<std::string> error = {};     // why the run could not be read
  std::vector<std::string> warnings = {};    // what is damaged in it; not read back
  std::optional<double> step_ns = {};        // as table `history` has it
  std::optional<int64_t> peak_bytes = {};
  size_t waiting = 0;          // runs that waited behind this one
  int64_t took_ns = 0;         // to read and to judge
  int64_t judged_unix_ns = 0;  // when that was done
};

/// One line of JSON, without its end.
std::string verdict_to_json(const VerdictLine& line);
/// Nothing where a text is no such line. Members that are not known are passed over.
std::optional<VerdictLine> verdict_from_json(std::string_view text);

}  // namespace cgpu
