// Numbers as one reads them, "0-3,8", and those that are missing.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

/// Of sorted, distinct numbers. Where there are more than `most` ranges, the first of them and "...".
inline std::string ranges_text(const std::vector<int64_t>& numbers, size_t most = SIZE_MAX) {
  std::string text;
  size_t ranges = 0;
  for (size_t first = 0; first < numbers.size(); ++ranges) {
    if (ranges == most) return text + ",...";
    size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(numbers[first]);
    if (last > first) text += "-" + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

/// The numbers of such a text that has all ranges.
inline std::vector<int64_t> numbers_of_ranges(std::string_view text) {
  std::vector<int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int64_t first = 0;
    at = std::from_chars(at, end, first).ptr;
    int64_t last = first;
    if (at < end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    for (int64_t number = first; number < last; ++number) numbers.push_back(number);
    numbers.push_back(last);
    if (at < end) ++at;  // the comma
  }
  return numbers;
}

/// The numbers from 0 up to `count` that are not among these; none where `count` is more than a million, as no number
/// of ranks is.
inline std::vector<int64_t> missing_numbers(const std::set<int64_t>& seen, int64_t count) {
  constexpr int64_t kMost = 1'000'000;
  std::vector<int64_t> missing;
  for (int64_t number = 0; number < count && count <= kMost; ++number) {
    if (seen.count(number) == 0) missing.push_back(number);
  }
  return missing;
}

}  // namespace cgpu
