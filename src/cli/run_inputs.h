// Inputs of the verbs that compare runs: each is a run by itself.
#pragma once

#include <string>
#include <vector>

#include "cli/input_options.h"
#include "gate/collect_figures.h"
#include "table/table.h"

namespace cgpu {

/// A pattern ("runs/*.cgpu", as it comes in quotes) stands for the files and folders that match, in order of their
/// names; everything else for itself. Throws Error for a pattern that nothing matches.
std::vector<std::string> separate_runs(const std::vector<std::string>& inputs);

/// The figures of one of them, opened with a progress bar as `common` says; `info`: also its table of this name.
RunFigures figures_of_run(const std::string& run, const InputOptions& common, const WantedFigures& wanted = {},
                          Table* info = nullptr);

}  // namespace cgpu
