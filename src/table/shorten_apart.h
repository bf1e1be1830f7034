// Texts that are shortened beside each other, as the names in a column.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cgpu {

/// The texts, which are printable, each in at most `width` columns, as shorten() does (unicode.h). Where that makes
/// different texts alike, they are shown with the part in which they begin to differ:
/// "Cijk_Alik_...MT128x64x32_MI16x16...". Below 20 columns alike they stay. O(bytes log texts).
std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, size_t width);

}  // namespace cgpu
