// Numbers as a user lists them: "3", "0,2", "0-7,16".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cgpu {

/// The first and the last number of a range.
using NumberRange = std::pair<int64_t, int64_t>;

/// "N" or "N-M". Throws Error that begins with `what`.
NumberRange parse_number_range(const std::string& text, const std::string& what);

class NumberList {
 public:
  NumberList() = default;
  explicit NumberList(int64_t number) : ranges_{{number, number}} {}
  /// Ranges with commas between them. Throws Error that begins with `what`.
  NumberList(const std::string& text, const std::string& what);

  bool empty() const { return ranges_.empty(); }
  bool contains(int64_t number) const;
  /// How many numbers it has, or `most` where it has more.
  size_t count(size_t most) const;
  /// All of them, in the order given; for lists whose count() is known to be small.
  std::vector<int64_t> numbers() const;
  /// The first range that has none of these numbers, as it would be written; "" where each has one.
  std::string range_without(const std::vector<int64_t>& numbers) const;

 private:
  std::vector<NumberRange> ranges_;
};

}  // namespace cgpu
