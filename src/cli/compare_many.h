// `cgpu compare` of more than two runs, and of summaries: sets of runs by their figures, grouped by what they say of
// themselves.
#pragma once

#include <string>
#include <vector>

#include "cli/compared_output.h"
#include "cli/input_options.h"
#include "cli/table_list.h"

namespace cgpu {

/// Opens one run after another. `runs`: each a profile, a folder of rank files, or a summary. `by`: a key of table
/// info, with or without "metadata." before it, or input, file or folder: the run as it was given, the name of its
/// file, of the folder that it lies in; "" for no groups. `metric`: by this one of their call trees, "" for times of
/// timelines, and where a run has none for the main metric of the first call tree. `shown_keys`: other such keys that
/// have columns in compare_runs. Throws Error for a key that no run has.
Compared compare_many(const InputOptions& input, const std::vector<std::string>& runs, const std::string& by,
                      const std::string& metric, const std::vector<std::string>& shown_keys);

/// What it makes.
std::vector<DeclaredTable> tables_of_many_runs();

}  // namespace cgpu
