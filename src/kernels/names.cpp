#include "kernels/names.h"

#include <utility>

#include "base/ascii.h"
#include "base/demangle.h"
#include "base/replace_all.h"
#include "kernels/head_symbol.h"
#include "kernels/module_ids.h"

namespace cgpu {
namespace {

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

}  // namespace

std::string full_kernel_name(std::string_view name) {
  // AMD launches a kernel through its descriptor, which is a symbol of its own with this suffix.
  for (std::string_view suffix : {".kd", " [clone .kd]"}) remove_suffix(name, suffix);
  name = without_module_prefix(name);
  std::string result = name.starts_with("_Z") ? demangle(name) : std::string(name);
  if (!result.starts_with("_Z")) result = without_module_ids(std::move(result));
  for (std::string_view spelling : {"<unnamed>", "{anonymous}"}) replace_all(result, spelling, "(anonymous namespace)");
  return result;
}

std::string base_kernel_name(std::string_view full_name) {
  return split_head_symbol(full_name).head;
}

std::string_view api_name(std::string_view name) {
  // cuGetProcAddress and cuGetProcAddress_v2 are two functions: a program that was built with older headers calls the
  // first one.
  constexpr std::string_view kOwnVersion = "cuGetProcAddress_v2";
  while (name != kOwnVersion &&
         (remove_suffix(name, "_ptsz") || remove_suffix(name, "_ptds") || remove_version(name))) {
  }
  return name;
}

}  // namespace cgpu
