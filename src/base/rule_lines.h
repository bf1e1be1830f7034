// The lines of a file of rules: a rule a line; lines that are empty or begin with # are none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/ascii.h"

namespace cgpu {

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes the first word off `text`, with the blanks around it.
inline std::string_view take_word(std::string_view& text) {
  text = trim(text);
  const std::string_view word =
      text.substr(0, static_cast<size_t>(std::find_if(text.begin(), text.end(), is_space) - text.begin()));
  text = trim(text.substr(word.size()));
  return word;
}

/// visit(line, number), the line without blanks around it, numbers from 1.
template <typename Visit>
void each_rule_line(std::string_view text, Visit visit) {
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.front() != '#') visit(line, number);
  }
}

}  // namespace cgpu
