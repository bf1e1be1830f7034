// Classes of ASCII characters, and their lower case, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether a text is digits alone, at least one.
inline bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Blank, tab and the ends of lines.
constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// All other bytes stay.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

/// With its first character in upper case, if that is a letter.
inline std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace cgpu
