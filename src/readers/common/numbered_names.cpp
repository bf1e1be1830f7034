#include "readers/common/numbered_names.h"

#include <algorithm>
#include <charconv>

#include "base/rule_lines.h"

namespace cgpu {

NumberedNames::NumberedNames(std::string_view rules, std::string_view enumeration) {
  each_rule_line(rules, [&](std::string_view line, int) {
    if (take_word(line) != enumeration) return;
    std::string_view number = take_word(line);
    const bool is_hexadecimal = number.starts_with("0x");
    if (is_hexadecimal) number.remove_prefix(2);
    size_t first = 0;
    std::from_chars(number.data(), number.data() + number.size(), first, is_hexadecimal ? 16 : 10);
    names_.resize(std::max(first, names_.size()));
    while (!line.empty()) {
      const size_t end = std::min(line.find(','), line.size());
      names_.push_back(trim(line.substr(0, end)));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
  });
}

}  // namespace cgpu
