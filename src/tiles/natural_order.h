// Natural order of texts: digits compare as numbers, so that "stream 7" is before "stream 10". O(length).
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace cgpu {

inline bool natural_less(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) {
    size_t count = 0;
    while (count < text.size() && std::isdigit(static_cast<unsigned char>(text[count])) != 0) ++count;
    return count;
  };
  while (!a.empty() && !b.empty()) {
    const size_t in_a = digits(a);
    const size_t in_b = digits(b);
    if (in_a > 0 && in_b > 0) {
      const auto number = [](std::string_view text) {
        return text.substr(std::min(text.find_first_not_of('0'), text.size()));
      };
      const std::string_view number_a = number(a.substr(0, in_a));
      const std::string_view number_b = number(b.substr(0, in_b));
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      a.remove_prefix(in_a);
      b.remove_prefix(in_b);
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

}  // namespace cgpu
