#include "session/selection/number_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/parse_number.h"

namespace cgpu {

namespace {

bool is_in(const NumberRange& range, int64_t number) {
  return range.first <= number && number <= range.second;
}

}  // namespace

NumberRange parse_number_range(const std::string& text, const std::string& what) {
  const size_t dash = text.find('-', 1);  // a sign may be before it
  const std::string_view view = text;
  const auto first = parse_number(view.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_number(view.substr(dash + 1));
  if (!first || !last || *first > *last) {
    throw Error(fmt::format("{} {}: a number or a range N-M was expected", what, text));
  }
  return {*first, *last};
}

NumberList::NumberList(const std::string& text, const std::string& what) {
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    ranges_.push_back(parse_number_range(text.substr(at, comma - at), what));
    at = comma + 1;
  }
}

bool NumberList::contains(int64_t number) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const NumberRange& range) { return is_in(range, number); });
}

size_t NumberList::count(size_t most) const {
  size_t count = 0;
  for (const NumberRange& range : ranges_) {
    const auto others = static_cast<uint64_t>(range.second) - static_cast<uint64_t>(range.first);
    if (others >= most - count) return most;
    count += static_cast<size_t>(others) + 1;
  }
  return count;
}

std::vector<int64_t> NumberList::numbers() const {
  std::vector<int64_t> all;
  for (const NumberRange& range : ranges_) {
    for (int64_t number = range.first; number <= range.second; ++number) all.push_back(number);
  }
  return all;
}

std::string NumberList::range_without(const std::vector<int64_t>& numbers) const {
  for (const NumberRange& range : ranges_) {
    if (std::any_of(numbers.begin(), numbers.end(), [&](int64_t number) { return is_in(range, number); })) continue;
    return range.first == range.second ? fmt::format("{}", range.first)
                                       : fmt::format("{}-{}", range.first, range.second);
  }
  return "";
}

}  // namespace cgpu
