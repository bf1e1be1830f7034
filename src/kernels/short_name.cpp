#include "kernels/short_name.h"

#include <algorithm>
#include <cctype>

#include "kernels/names.h"

namespace cgpu {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '~';
}

/// Whether what is before the first bracket can be the beginning of a C++ signature: words and `::`. Python's
/// "nn/linear.py(12): forward", "lambda x: f(x)" and "<built-in method ...>" are none.
bool begins_as_function(std::string_view name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  if (const size_t at = name.find(kUnnamed); at != std::string_view::npos && at == name.find_first_of("<(")) {
    return begins_as_function(name.substr(at + kUnnamed.size()));
  }
  const size_t bracket = name.find_first_of("<(");
  if (bracket == 0 || bracket == std::string_view::npos) return false;
  const std::string_view head = name.substr(0, bracket);
  for (size_t i = 0; i < head.size(); ++i) {
    if (head.substr(i).starts_with("::")) {
      ++i;
    } else if (!is_word(head[i]) && head[i] != ' ' && head[i] != '*' && head[i] != '&') {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string short_name(std::string_view name) {
  const std::string full = full_kernel_name(name);
  return name.starts_with("_Z") || begins_as_function(full) ? base_kernel_name(full) : std::string(name);
}

std::string title_name(std::string_view name) {
  constexpr size_t kLong = 60;
  return name.size() <= kLong ? std::string(name) : short_name(name);
}

}  // namespace cgpu
