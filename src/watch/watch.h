// `cgpu watch`: judges each run that appears in a folder, one at a time, the oldest first. The memory is that of one
// run and of the names of all. Runs are known by their lines in the output folder (watch_output.h), so that the process
// may end at any moment, and goes on where it was.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "gate/check/check.h"
#include "session/input_options.h"

namespace cgpu {

struct WatchOptions {
  std::string folder;                     // to watch
  std::string output;                     // folder to write to; directly in the watched one, or outside of it
  InputOptions input = {};                // how to read runs
  std::vector<CheckedRun> baseline = {};  // none: runs are not compared
  CheckOptions check = {};
  std::chrono::nanoseconds interval = std::chrono::seconds(5);  // between scans
  std::chrono::nanoseconds settle = std::chrono::seconds(2);    // for which an entry must not change
  bool once = false;                                            // end when all that is there is judged
};

/// Where it reports.
struct WatchReports {
  std::function<void(const std::string&)> line;    // a verdict (verdict_line.h), once it is in the output folder
  std::function<void(const std::string&)> remark;  // anything else, in a sentence
};

/// Returns only where `once` is set: the exit code of the worst verdict, which is 1 for a regression, else 2 for a run
/// that could not be read, else that of the check. Throws Error where a folder cannot be read or written.
int watch(const WatchOptions& options, const WatchReports& reports);

}  // namespace cgpu
