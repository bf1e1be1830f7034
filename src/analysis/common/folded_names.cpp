#include "analysis/common/folded_names.h"

#include <algorithm>

#include "base/ascii.h"

namespace cgpu {

namespace {

constexpr std::string_view kDigits = "0123456789abcdefABCDEF";

/// Whether hexadecimal digits are a number of 2^32 or more that fits into 64 bits.
bool is_large(std::string_view digits) {
  constexpr size_t kMost = 16;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits.size() > kMost / 2 && digits.size() <= kMost;
}

bool is_in_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string without_addresses(std::string_view name) {
  constexpr std::string_view kBegin = "0x";
  constexpr std::string_view kAt = " at ";
  std::string result(name);
  for (size_t at = result.find(kBegin); at != std::string::npos; at = result.find(kBegin, at)) {
    const size_t first = at + kBegin.size();
    const size_t end = std::min(result.find_first_not_of(kDigits, first), result.size());
    const std::string_view before = std::string_view(result).substr(0, at);
    const std::string_view digits = std::string_view(result).substr(first, end - first);
    const bool is_located = before.ends_with(kAt);
    if (digits.empty() || (!is_located && (!is_large(digits) || (at > 0 && is_in_word(before.back()))))) {
      at = first;
      continue;
    }
    const size_t separator = is_located ? kAt.size() : before.ends_with('+') || before.ends_with(' ') ? 1 : 0;
    if (separator > 0 && separator < at) {
      result.erase(at - separator, end - at + separator);
      at -= separator;
    } else {
      result.replace(first, end - first, "N");
      at = first;
    }
  }
  return result;
}

std::string_view without_binary(std::string_view name) {
  const size_t binary = name.ends_with(']') ? name.rfind(" [") : std::string_view::npos;
  return binary == std::string_view::npos ? name : name.substr(0, binary);
}

std::string name_in_all_builds(std::string_view name) {
  constexpr std::string_view kHash = "::h";
  constexpr size_t kLength = 16;
  const std::string_view symbol = without_binary(name);
  const std::string_view binary = name.substr(symbol.size());
  const size_t at = symbol.rfind(kHash);
  const bool has_hash = at != std::string_view::npos && at > 0 && symbol.size() == at + kHash.size() + kLength &&
                        symbol.find_first_not_of("0123456789abcdef", at + kHash.size()) == std::string_view::npos;
  return without_addresses(has_hash ? std::string(symbol.substr(0, at)).append(binary) : std::string(name));
}

std::string folded_name(std::string_view name) {
  constexpr std::string_view decimal = kDigits.substr(0, 10);
  for (const std::string_view id : {", seq = ", ", op_id = "}) name = name.substr(0, name.find(id));
  std::string folded = without_addresses(name);
  for (size_t at = folded.find(' '); at != std::string::npos; at = folded.find(' ', at + 1)) {
    const size_t end = std::min(folded.find(' ', at + 1), folded.size());
    const size_t length = end - at - 1;
    if (length > 0 && folded.find_first_not_of(decimal, at + 1) >= end) folded.replace(at + 1, length, "N");
  }
  return folded;
}

}  // namespace cgpu
