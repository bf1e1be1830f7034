#include "kernels/names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "kernels/head_symbol.h"

namespace cgpu {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool remove_suffix(std::string_view& text, std::string_view suffix) {
  if (text.size() <= suffix.size() || text.substr(text.size() - suffix.size()) != suffix) return false;
  text.remove_suffix(suffix.size());
  return true;
}

/// `_v` and digits.
bool remove_version(std::string_view& text) {
  size_t digits = text.size();
  while (digits > 0 && is_digit(text[digits - 1])) --digits;
  if (digits == text.size() || digits <= 2 || text.substr(digits - 2, 2) != "_v") return false;
  text.remove_suffix(text.size() - digits + 2);
  return true;
}

/// Back-references (S_, S12_, T_, T3_) of a mangled name, rather too many than too few.
int back_references(std::string_view mangled) {
  int count = 0;
  for (size_t i = 0; i < mangled.size(); ++i) {
    if (mangled[i] != 'S' && mangled[i] != 'T') continue;
    size_t end = i + 1;
    while (end < mangled.size() && (is_digit(mangled[end]) || (mangled[end] >= 'A' && mangled[end] <= 'Z'))) ++end;
    if (end < mangled.size() && mangled[end] == '_') ++count;
  }
  return count;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string result;
  size_t done = 0;
  for (; at != std::string::npos; at = text.find(from, done)) {
    result.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  result.append(text, done);
  text = std::move(result);
}

/// A mangled name can stand for a text exponentially longer than itself: a back-reference repeats a part of what was
/// before it, so that n of them make up to 3^(n/3) copies. The library does not limit that; hence the limits here.
/// Names with more references are rare among those that it takes at all (up to 1,024 characters), and stay mangled.
std::optional<std::string> demangle(std::string_view mangled) {
  constexpr int kMaxReferences = 32;
  constexpr size_t kMaxLength = 1 << 16;
  if (mangled.find('\0') != std::string_view::npos || back_references(mangled) > kMaxReferences) return std::nullopt;
  // GCC 12's library does not know the code of bfloat16. That of decimal64, which no kernel uses, stands in for it:
  // both are built-in types, which leave the numbering of back-references alone.
  std::string code(mangled);
  replace_all(code, "DF16b", "Dd");
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(code.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  if (status != 0 || !text) return std::nullopt;
  std::string result = text.get();
  if (code != mangled) replace_all(result, "decimal64", "std::bfloat16_t");
  if (result.size() > kMaxLength) return std::nullopt;
  return result;
}

}  // namespace

std::string full_kernel_name(std::string_view name) {
  // AMD launches a kernel through its descriptor, which is a symbol of its own with this suffix.
  for (std::string_view suffix : {".kd", " [clone .kd]"}) remove_suffix(name, suffix);
  std::string result(name);
  if (name.substr(0, 2) == "_Z") {
    if (auto demangled = demangle(name)) result = std::move(*demangled);
  }
  for (std::string_view spelling : {"<unnamed>", "{anonymous}"}) replace_all(result, spelling, "(anonymous namespace)");
  return result;
}

std::string base_kernel_name(std::string_view full_name) {
  return split_head_symbol(full_name).head;
}

std::string_view api_name(std::string_view name) {
  while (remove_suffix(name, "_ptsz") || remove_suffix(name, "_ptds") || remove_version(name)) {
  }
  return name;
}

}  // namespace cgpu
