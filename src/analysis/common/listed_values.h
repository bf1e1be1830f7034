// The values that a column of an enumeration can have, for what is said of the column.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// "a, b or c": the texts of all values up to `last`, but the empty ones. `text_of` must know the type.
template <typename Enum>
std::string listed_values(Enum last) {
  std::string listed;
  std::string text;
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    const std::string_view next = text_of(static_cast<Enum>(value));
    if (next.empty()) continue;
    if (!text.empty()) listed += (listed.empty() ? "" : ", ") + text;
    text = next;
  }
  return listed.empty() ? text : listed + " or " + text;
}

}  // namespace cgpu
