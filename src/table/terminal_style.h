// Escapes of a terminal: how texts for people mark severity and change. Used only where TextOptions::color says so.
#pragma once

#include <string>
#include <string_view>

namespace cgpu::terminal_style {

inline constexpr std::string_view kPlain = "\x1b[0m";
inline constexpr std::string_view kBold = "\x1b[1m";
inline constexpr std::string_view kDim = "\x1b[2m";
inline constexpr std::string_view kRed = "\x1b[31m";
inline constexpr std::string_view kGreen = "\x1b[32m";
inline constexpr std::string_view kYellow = "\x1b[33m";
inline constexpr std::string_view kBlue = "\x1b[34m";
inline constexpr std::string_view kCyan = "\x1b[36m";

/// `text` between the escape and the one that ends it; unchanged where there is no style. Wrap and measure before: the
/// escapes count as columns.
inline std::string styled(std::string_view text, std::string_view style) {
  std::string out(style);
  out += text;
  if (!style.empty()) out += kPlain;
  return out;
}

/// Of a change: what costs more is red, what costs less is green.
inline std::string_view of_change(double more_cost) {
  if (more_cost == 0) return "";
  return more_cost > 0 ? kRed : kGreen;
}

}  // namespace cgpu::terminal_style
