// Numbers as the words of a comparison have them.
#pragma once

#include <cstdint>
#include <string>

namespace cgpu {

/// "1.30 times as long", "3.0 % less"
std::string ratio_words(double a, double b, const char* longer = "as long");

/// "7", "2.50"
std::string count_words(double count);

/// "  +1.20 ms   +3.4 %  what changed": a line of a list of changes in ns, with their share of `whole`.
std::string change_line(int64_t change, int64_t whole, const std::string& what);

}  // namespace cgpu
