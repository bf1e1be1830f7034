#include "kernels/module_ids.h"

#include <algorithm>

#include "base/ascii.h"

namespace cgpu {
namespace {

constexpr std::string_view kStatic = "__nv_static_";
constexpr std::string_view kAnonymous = "_GLOBAL__N_";
constexpr std::string_view kWord = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view kInternal = "_INTERNAL_";

bool is_hash(std::string_view text) {
  constexpr size_t kLength = 8;
  return text.size() == kLength && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Whether one of the parts between underscores is a hash.
bool has_hash(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('_'), text.size());
    if (is_hash(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace

bool is_module_id(std::string_view identifier) {
  if (identifier.starts_with("_GLOBAL_")) return true;
  return identifier.starts_with(kInternal) && has_hash(identifier.substr(kInternal.size()));
}

std::string_view without_module_prefix(std::string_view symbol) {
  if (!symbol.starts_with(kStatic)) return symbol;
  std::string_view rest = symbol.substr(kStatic.size());
  size_t length = 0;  // of the name of the module, which is behind the next underscore
  size_t at = 0;
  for (; at < rest.size() && is_digit(rest[at]); ++at) {
    length = std::min(10 * length + static_cast<size_t>(rest[at] - '0'), symbol.size());
  }
  if (at == 0 || rest.substr(at, 1) != "_") return symbol;
  rest.remove_prefix(at + 1);
  if (length + 1 < rest.size() && rest[length] == '_' && has_hash(rest.substr(0, length))) {
    return rest.substr(length + 1);
  }
  const size_t mangled = rest.find("__Z");
  return mangled == std::string_view::npos ? symbol : rest.substr(mangled + 1);
}

std::string without_module_ids(std::string name) {
  if (name.find(kAnonymous) == std::string::npos && name.find(kInternal) == std::string::npos) return name;
  std::string result;
  for (size_t at = 0; at < name.size();) {
    size_t end = std::min(name.find_first_not_of(kWord, at), name.size());
    const std::string_view identifier = std::string_view(name).substr(at, end - at);
    const bool is_scope = std::string_view(name).substr(end, 2) == "::";
    if (is_scope && identifier.starts_with(kAnonymous)) {
      result += "(anonymous namespace)";
    } else if (is_scope && is_module_id(identifier)) {
      end += 2;
    } else if (end == at) {
      result += name[end++];
    } else {
      result += identifier;
    }
    at = end;
  }
  return result;
}

}  // namespace cgpu
