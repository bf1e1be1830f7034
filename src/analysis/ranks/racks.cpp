#include "analysis/ranks/racks.h"

#include <algorithm>
#include <initializer_list>

#include "base/ascii.h"

namespace cgpu {

namespace {

bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

size_t digits_at_begin(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

/// Of a name that is these letters with a number behind each, the first letter and its number; else "".
std::string_view first_part(std::string_view name, std::string_view letters) {
  std::string_view rest = name;
  std::string_view first;
  for (const char letter : letters) {
    if (!rest.starts_with(letter)) return "";
    const size_t digits = digits_at_begin(rest.substr(1));
    if (digits == 0) return "";
    if (first.empty()) first = rest.substr(0, 1 + digits);
    rest.remove_prefix(1 + digits);
  }
  return rest.empty() ? first : "";
}

/// The number behind the word, "rack3", "rack-3" or "rack_3"; "" where there is none.
std::string_view spelt_out(std::string_view host) {
  constexpr std::string_view kWord = "rack";
  for (size_t at = host.find(kWord); at != std::string_view::npos; at = host.find(kWord, at + 1)) {
    if (at > 0 && is_letter_or_digit(host[at - 1])) continue;
    std::string_view rest = host.substr(at + kWord.size());
    if (rest.starts_with('-') || rest.starts_with('_')) rest.remove_prefix(1);
    const size_t digits = digits_at_begin(rest);
    if (digits > 0 && (digits == rest.size() || !is_letter_or_digit(rest[digits]))) return rest.substr(0, digits);
  }
  return "";
}

}  // namespace

std::string_view rack_of_host(std::string_view host) {
  const std::string_view name = host.substr(0, host.find('.'));  // without the domain
  for (const std::string_view letters : {"xcsbn", "rin"}) {
    const std::string_view rack = first_part(name, letters);
    if (!rack.empty()) return rack;
  }
  return spelt_out(host);
}

}  // namespace cgpu
