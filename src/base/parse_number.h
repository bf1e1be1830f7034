// Numbers in decimal that texts consist of.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace cgpu {

/// The number that the whole of a text is; empty for any other text, also with blanks or a `+` around the number, and
/// where the number does not fit. O(length).
template <typename Number = int64_t>
std::optional<Number> parse_number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The number behind a word, as in "Stream 7"; empty for any other text, and for negative numbers.
template <typename Number = int64_t>
std::optional<Number> number_behind(std::string_view word, std::string_view text) {
  if (!text.starts_with(word)) return std::nullopt;
  const std::optional<Number> number = parse_number<Number>(text.substr(word.size()));
  return number >= Number{0} ? number : std::nullopt;
}

/// The finite number that the whole of a text is: "nan" and "inf" are texts.
inline std::optional<double> parse_finite_number(std::string_view text) {
  const std::optional<double> number = parse_number<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace cgpu
