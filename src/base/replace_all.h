// Puts one text in the place of another wherever it is. O(length).
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace cgpu {

/// `from` is not empty; what `to` brings is not searched again.
inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string result;
  size_t done = 0;
  for (; at != std::string::npos; at = text.find(from, done)) {
    result.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  result.append(text, done);
  text = std::move(result);
}

}  // namespace cgpu
