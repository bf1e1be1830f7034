#include "cli/change_colours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <sstream>

#include "table/terminal_style.h"

namespace cgpu {

namespace {

/// `line` with the first group of the match in colour.
std::string coloured(const std::string& line, const std::smatch& match, double more_cost) {
  const auto from = static_cast<size_t>(match.position(1));
  const auto length = static_cast<size_t>(match.length(1));
  return line.substr(0, from) +
         terminal_style::styled(line.substr(from, length), terminal_style::of_change(more_cost)) +
         line.substr(from + length);
}

double sign_of(const std::string& change) {
  return change.front() == '-' ? -1 : 1;
}

}  // namespace

std::string with_coloured_changes(const std::string& lines) {
  static const std::regex listed(R"(^ +([-+][0-9.,]+ [a-z]+ +[-+][0-9.,]+ %))");
  static const std::regex headline(R"(-> [0-9.,]+ [a-z]+, ([-+][0-9.,]+ %))");
  static const std::regex finding(R"(^  \w+ \((new|gone|grown|shrunk)\b)");
  const bool is_certain = lines.find("within noise") == std::string::npos;
  std::string out;
  std::istringstream from(lines);
  for (std::string line; std::getline(from, line);) {
    std::smatch match;
    if (std::regex_search(line, match, listed) || (is_certain && std::regex_search(line, match, headline))) {
      line = coloured(line, match, sign_of(match[1]));
    } else if (std::regex_search(line, match, finding)) {
      line = coloured(line, match, match[1] == "new" || match[1] == "grown" ? 1 : -1);
    }
    out += line + '\n';
  }
  return out;
}

std::string_view style_of_figure(std::string_view figure, double ratio) {
  constexpr double kNoticed = 0.01;
  if (!(std::abs(ratio - 1) >= kNoticed)) return "";  // also where it is no number
  constexpr std::array<std::string_view, 4> kCosts = {"time", "idle", "exposed", "waiting"};
  constexpr std::array<std::string_view, 3> kRates = {"flops per s", "op bytes per s", "mfu"};
  const bool is_cost = std::any_of(kCosts.begin(), kCosts.end(), [&](std::string_view cost) {
    return figure == cost || figure.starts_with(std::string(cost) + ' ');
  });
  if (is_cost) return terminal_style::of_change(ratio - 1);
  const bool is_rate = std::find(kRates.begin(), kRates.end(), figure) != kRates.end();
  return is_rate ? terminal_style::of_change(1 - ratio) : "";
}

}  // namespace cgpu
