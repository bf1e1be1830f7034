// The changes of a comparison in colour: what costs more is red, what costs less green.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// Lines of words for a terminal, wrapped. Marked are: the change at the begin of a line ("  -10.1 ms  -27.0 %  ..."),
/// the change of time in a headline ("1.21 s -> 1.10 s, -9.5 %") that is not within noise, and findings that are new,
/// gone, grown or shrunk ("  launch_bound (gone): ...").
std::string with_coloured_changes(const std::string& lines);

/// Of the cell `delta` of a figure of compare_summary as text shows its name ("idle", "flops per s") that is `ratio`
/// times what it was: "" where neither way is better or it hardly changed.
std::string_view style_of_figure(std::string_view figure, double ratio);

}  // namespace cgpu
