// The names that are nearest to one that does not exist: "did you mean kernels, kernel_classes or kernel_grids?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

/// The nearest of `names` by Levenshtein's distance without regard to case, at most `most`, the nearest first, each
/// once. O(|wanted| sum |names|).
std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& names, size_t most = 3);

/// "did you mean a, b or c?"; "" where there are no names.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace cgpu
