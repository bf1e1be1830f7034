// Numbers as the words of a comparison have them.
#pragma once

#include <cstdint>
#include <string>

#include "table/marked_text.h"

namespace cgpu {

/// "-3.0 %", "+30.0 %"; from twice on "2.31 times".
std::string ratio_words(double a, double b);

/// As ratio_words, of a cost: marked where it is in percent.
MarkedText cost_ratio(double a, double b);

/// "1.211 s -> 1.096 s, -9.5 %": a change of a time from A to B, ns.
MarkedText change_of_time(double a, double b);

/// "7", "2.50"
std::string count_words(double count);

/// "  +1.20 ms   +3.4 %  what changed": a line of a list of changes in ns, with their share of `whole`.
MarkedText change_line(int64_t change, int64_t whole, const std::string& what);

}  // namespace cgpu
