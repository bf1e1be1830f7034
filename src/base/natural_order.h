// Natural order of texts: runs of digits compare as numbers, everything else byte by byte, so that "stream 7" is before
// "stream 10". Texts that differ by leading zeros only are in the order of their bytes. O(length).
#pragma once

#include <string_view>

#include "base/ascii.h"

namespace cgpu {

inline bool natural_less(std::string_view a, std::string_view b) {
  /// Without leading zeros; "0" stays.
  const auto take_number = [](std::string_view& text) {
    while (text.size() > 1 && text[0] == '0' && is_digit(text[1])) text.remove_prefix(1);
    size_t size = 0;
    while (size < text.size() && is_digit(text[size])) ++size;
    const std::string_view number = text.substr(0, size);
    text.remove_prefix(size);
    return number;
  };
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const std::string_view x = take_number(a);
      const std::string_view y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[0] != b[0]) return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.empty() != b.empty() ? a.empty() : whole_a < whole_b;
}

}  // namespace cgpu
