// Names by number, as enumerations of other programs give them, in a file of rules. A line: the enumeration, the number
// of the first name (0x in hexadecimal), and the names from there on, separated by commas.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cgpu {

class NumberedNames {
 public:
  /// Those of one enumeration; the names are parts of `rules`. A line begins behind the last name of the line before.
  /// Throws Error for a line that does not.
  NumberedNames(std::string_view rules, std::string_view enumeration);

  /// "" for a number without a name. O(1).
  std::string_view at(uint64_t number) const {
    return number < names_.size() ? names_[static_cast<size_t>(number)] : std::string_view();
  }

 private:
  std::vector<std::string_view> names_;
};

}  // namespace cgpu
