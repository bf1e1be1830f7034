// Runs against a baseline, for other programs (docs/cpp.md): the verdict of `cgpu check` (docs/gate.md).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gate/check_arguments.h"
#include "session/input_options.h"
#include "session/opening_progress.h"
#include "table/table.h"

namespace cgpu {

class RunCheck {
 public:
  /// Each of the runs is a profile, a folder of rank files or a summary, opened one after the other as `common` says,
  /// whose inputs are not looked at. `progress` hears of each opening; what it throws ends the check. Throws Error.
  RunCheck(const std::vector<std::string>& baseline, const std::vector<std::string>& candidate,
           const CheckArguments& arguments = {}, const InputOptions& common = {},
           const OpeningProgress& progress = nullptr);

  /// "pass", "regression", "inconclusive" or "not comparable".
  std::string outcome() const;
  /// What `cgpu check` ends with: 0, 1, 3, 4; CheckArguments::inconclusive decides what the third counts as.
  int exit_code() const;
  /// What is the matter, in a sentence.
  std::string headline() const;
  /// All of it, for a terminal of so many columns, and for a pull request.
  std::string text(size_t width = 100) const;
  std::string markdown() const;
  /// The tables check (a row a rule), check_times, check_memory, check_parts, check_calls and check_runs.
  const std::vector<Table>& tables() const;

 private:
  struct Result;
  std::shared_ptr<const Result> result_;
};

}  // namespace cgpu
