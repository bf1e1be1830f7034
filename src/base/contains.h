// Whether a text is a part of another one, or one of a few. O(length), O(number).
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace cgpu {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace cgpu
