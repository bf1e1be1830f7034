// Inputs of the verbs that compare runs: each is a run by itself.
#pragma once

#include <string>
#include <vector>

namespace cgpu {

/// A pattern ("runs/*.cgpu", as it comes in quotes) stands for the files and folders that match, in order of their
/// names; everything else for itself. Throws Error for a pattern that nothing matches.
std::vector<std::string> separate_runs(const std::vector<std::string>& inputs);

}  // namespace cgpu
