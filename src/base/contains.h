// Whether a text is a part of another one. O(length).
#pragma once

#include <string_view>

namespace cgpu {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace cgpu
