// Finds the profiles in what the user names: files, folders, patterns.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

/// What lies in a folder of this name was recorded while graphs were captured: no ranks of the run
/// (session/captures.h).
inline constexpr std::string_view kCaptureFolder = "capture_traces";

struct ProfilePath {
  std::string path;
  bool found = false;      // in a folder, not named by the user: something else may lie beside the profiles
  bool is_folder = false;  // a folder that is one profile
  size_t run_of_file = 0;  // of a file that holds several runs: which one
  /// Other names of the same file, or of a compressed copy of it: it is read once.
  std::vector<std::string> repeated = {};
};

/// Files; "-"; the matches of a pattern; of a folder that is no profile itself (`is_profile`), the files and profiles
/// in it and in its sub-folders, four levels deep (profilers write RUN/plugins/profile/DATE/HOST.*), by path, with
/// numbers in their order. A report of Nsight Systems is left out where its export lies beside it. Hidden files are
/// passed over. What is there several times (named twice, a link, a link to a folder above, "x.json" beside "x.json.gz"
/// with the same beginning) is given once. Throws Error where a pattern has no match or a folder holds far too much to
/// be a run's.
std::vector<ProfilePath> discover(const std::vector<std::string>& inputs,
                                  const std::function<bool(const std::string&)>& is_profile);

}  // namespace cgpu
