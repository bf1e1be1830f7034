// What the name of a file says about its content: files of a folder that are called alike are the ranks of one run.
#pragma once

#include <functional>
#include <string>

namespace cgpu {

/// Whether a file of `path`'s folder, or of a folder beside it, has the same name but for numbers and the ending of a
/// compression ("rank3.json" and "rank12.json.gz", "rank_3/trace.json" and "rank_12/trace.json") and `is_profile`.
/// Few of these are looked at.
bool is_called_as_profiles(const std::string& path, const std::function<bool(const std::string&)>& is_profile);

}  // namespace cgpu
