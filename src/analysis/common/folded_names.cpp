#include "analysis/common/folded_names.h"

#include <algorithm>

namespace cgpu {

std::string folded_name(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdefABCDEF";
  constexpr std::string_view decimal = digits.substr(0, 10);
  for (const std::string_view id : {", seq = ", ", op_id = "}) name = name.substr(0, name.find(id));
  std::string folded(name);
  constexpr std::string_view address = " at 0x";
  for (size_t at = folded.find(address); at != std::string::npos; at = folded.find(address, at)) {
    const size_t end = folded.find_first_not_of(digits, at + address.size());
    folded.erase(at, (end == std::string::npos ? folded.size() : end) - at);
  }
  for (size_t at = folded.find(' '); at != std::string::npos; at = folded.find(' ', at + 1)) {
    const size_t end = std::min(folded.find(' ', at + 1), folded.size());
    const size_t length = end - at - 1;
    if (length > 0 && folded.find_first_not_of(decimal, at + 1) >= end) folded.replace(at + 1, length, "N");
  }
  return folded;
}

}  // namespace cgpu
