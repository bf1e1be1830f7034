// The short form of a name, for where the page has no room for all of it: of a C++ function what `--names base` calls
// it (kernels/names.h), any other name as it is. O(length).
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

std::string short_name(std::string_view name);

/// A name that leaves room for the rest of a sentence: longer than 60 bytes it is short_name.
std::string title_name(std::string_view name);

}  // namespace cgpu
