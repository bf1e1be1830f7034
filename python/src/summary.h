// Summaries of runs (session/summary.h) as bytes, for Python.
#pragma once

#include <string>
#include <vector>

#include "session/input_options.h"

namespace cgpu::python {

/// The file that `cgpu summarize` writes. Throws Error.
std::string summarize(const InputOptions& input, bool with_host);

/// A summary by its bytes, or where there are none, the files, folders and patterns that `inputs` name.
struct SummaryPart {
  std::string bytes;
  std::string input;
};

struct MergedSummary {
  std::string bytes;
  std::vector<std::string> warnings;  // what was left out, and why
};

/// The file that `cgpu merge` writes of them. Throws Error, also where more than `allow_missing` are damaged or not
/// there.
MergedSummary merge(std::vector<SummaryPart> parts, size_t allow_missing);

}  // namespace cgpu::python
