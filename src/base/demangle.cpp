#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "base/ascii.h"
#include "base/replace_all.h"
#include "base/rust_symbol.h"

namespace cgpu {

namespace {

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

/// A mangled name can stand for a text exponentially longer than itself: a back-reference repeats a part of what was
/// before it, so that n of them make up to 3^(n/3) copies. The library does not limit that; hence the limits here.
/// Names with more references are rare among those that it takes at all (up to 1,024 characters), and stay mangled.
std::optional<std::string> demangle_cpp(std::string_view mangled) {
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
  return clean_old_rust_name(std::move(result));
}

}  // namespace

std::string demangle(std::string_view symbol) {
  std::optional<std::string> name;
  if (symbol.starts_with("_Z")) name = demangle_cpp(symbol);
  if (symbol.starts_with("_R")) name = demangle_rust(symbol);
  return name ? *std::move(name) : std::string(symbol);
}

}  // namespace cgpu
