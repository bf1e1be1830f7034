// Classes of ASCII characters, whatever the locale.
#pragma once

namespace cgpu {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Blank, tab and the ends of lines.
constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace cgpu
