// The door of the readers: from files to runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/run.h"

namespace cgpu {

struct ReadOptions {
  unsigned threads = 0;      // 0: as many as the machine has
  std::string input_format;  // overrides the recognition by content
  /// Called now and then from one thread at a time with the share done (0..1).
  std::function<void(double)> progress;
};

/// Opens files, directories of rank files, globs, and "-" (standard input) as one session, runs sorted by rank.
/// The runs are raw: cgpu::complete has not been called. Throws Error.
Session open_inputs(const std::vector<std::string>& inputs, const ReadOptions& options);

}  // namespace cgpu
