#include "readers/common/numbered_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/error.h"
#include "base/rule_lines.h"

namespace cgpu {

NumberedNames::NumberedNames(std::string_view rules, std::string_view enumeration) {
  each_rule_line(rules, [&](std::string_view line, int line_number) {
    if (take_word(line) != enumeration) return;
    std::string_view number = take_word(line);
    const bool is_hexadecimal = number.starts_with("0x");
    if (is_hexadecimal) number.remove_prefix(2);
    size_t first = 0;
    const char* const behind = number.data() + number.size();
    const auto read = std::from_chars(number.data(), behind, first, is_hexadecimal ? 16 : 10);
    if (read.ec != std::errc() || read.ptr != behind || first < names_.size()) {
      throw Error(
          fmt::format("names of {}: line {} has no number behind those of the line before", enumeration, line_number));
    }
    names_.resize(first);
    while (!line.empty()) {
      const size_t end = std::min(line.find(','), line.size());
      names_.push_back(trim(line.substr(0, end)));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
  });
}

}  // namespace cgpu
