// Reads one run of a watched folder: its summary, its figures, and what a check against the baseline says of them.
// Costs what `cgpu summarize` does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gate/check/check.h"
#include "session/input_options.h"
#include "watch/verdict_line.h"
#include "watch/watched_folder.h"

namespace cgpu {

struct JudgedRun {
  std::string summary;  // the bytes of its file
  WatchOutcome outcome = WatchOutcome::no_baseline;
  std::optional<std::string> headline;
  std::vector<std::string> warnings;  // of damage
  std::optional<double> step_ns;
  std::optional<int64_t> peak_bytes;
};

class RunJudge {
 public:
  /// `input`: how to read runs, without its inputs. Without a baseline no run is compared.
  RunJudge(InputOptions input, std::vector<CheckedRun> baseline, CheckOptions check);

  /// Why an entry is no run that can be read; "" where it is one, as far as its beginning says.
  std::string why_no_run(const std::string& path) const;
  /// Throws Error.
  JudgedRun judge(const WatchedEntry& entry) const;

 private:
  InputOptions input_;
  std::vector<CheckedRun> baseline_;
  CheckOptions check_;
};

}  // namespace cgpu
