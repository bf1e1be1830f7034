#include "comparison/words/quantity_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "table/units.h"

namespace cgpu {

std::string ratio_words(double a, double b) {
  const double ratio = b / a;
  return ratio >= 2 ? fmt::format("{:.2f} times", ratio) : fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

MarkedText cost_ratio(double a, double b) {
  const std::string words = ratio_words(a, b);
  if (!words.ends_with('%')) return words;
  return {words, words.starts_with('-') ? -1.0 : 1.0};
}

MarkedText change_of_time(double a, double b) {
  return fmt::format("{} -> {}, ", format_ns(std::round(a)), format_ns(std::round(b))) + cost_ratio(a, b);
}

std::string count_words(double count) {
  return count == std::round(count) || count >= 100 ? fmt::format("{:.0f}", count) : fmt::format("{:.2f}", count);
}

MarkedText change_line(int64_t change, int64_t whole, const std::string& what) {
  const std::string time = (change < 0 ? "-" : "+") + format_ns(std::abs(change));
  const double pct = 100.0 * static_cast<double>(change) / static_cast<double>(whole);
  const size_t indent = 12 - std::min<size_t>(time.size(), 10);
  const std::string numbers = fmt::format("{}  {:>7}", time, fmt::format("{:+.1f} %", pct));
  return std::string(indent, ' ') + MarkedText(numbers, change < 0 ? -1 : 1) + "  " + what + "\n";
}

}  // namespace cgpu
