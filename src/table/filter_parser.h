// Reads the text of a filter (table/filter.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table/filter.h"

namespace cgpu {

struct ParsedFilter {
  std::vector<Filter::Condition> conditions;
  Filter::Node root;
};

/// Throws Error with the position (from 1) of what cannot be read.
ParsedFilter parse_filter(std::string_view expression);

/// Throws the Error of a filter: what is wrong, and where in its text.
[[noreturn]] void fail_in_filter(size_t position, const std::string& message);

}  // namespace cgpu
