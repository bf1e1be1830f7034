// Summaries of runs as bytes, for other programs (docs/cpp.md): the files of `cgpu summarize` and `cgpu merge`
// (docs/many-ranks.md). OpenedProfile opens them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "session/input_options.h"
#include "session/opening_progress.h"

namespace cgpu {

/// The file that `cgpu summarize` writes, some 100 kB a rank. `with_host`: with the names of machines. `progress` hears
/// of the opening; what it throws ends it. Throws Error.
std::string summary_of_run(const InputOptions& input, bool with_host = false,
                           const OpeningProgress& progress = nullptr);

/// A summary by its bytes, or where there are none, the files, folders and patterns that `input` names.
struct SummaryPart {
  std::string bytes = {};
  std::string input = {};
};

struct MergedSummary {
  std::string bytes;
  std::vector<std::string> warnings;  // what was left out, and why
};

/// The file that `cgpu merge` writes of them, the same in any order and grouping. Throws Error, also where more than
/// `allow_missing` are damaged or not there.
MergedSummary merge_summaries(std::vector<SummaryPart> parts, size_t allow_missing = 0,
                              const OpeningProgress& progress = nullptr);

}  // namespace cgpu
