// The entry point of the readers: from the names of files and folders to runs.
#pragma once

#include <string>
#include <vector>

#include "model/run.h"
#include "readers/common/read_options.h"

namespace cgpu {

/// Opens files, directories of rank files, globs, and "-" (standard input) as one session, runs sorted by rank.
/// The runs are raw: cgpu::complete has not been called. Throws Error.
Session open_inputs(const std::vector<std::string>& inputs, const ReadOptions& options);

}  // namespace cgpu
