// Names of files that are being written (atomic_file.h): NAME.0123456789abcdef.part.
#pragma once

#include <cstddef>
#include <string_view>

namespace cgpu {

inline constexpr std::string_view kTemporaryEnding = ".part";
inline constexpr size_t kRandomDigits = 16;  // hexadecimal, before the ending

/// Whether a file has such a name: it is being written, or the process that wrote it was killed.
inline bool is_unfinished_file(std::string_view name) {
  if (!name.ends_with(kTemporaryEnding)) return false;
  name.remove_suffix(kTemporaryEnding.size());
  if (name.size() <= kRandomDigits || name[name.size() - kRandomDigits - 1] != '.') return false;
  return name.substr(name.size() - kRandomDigits).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace cgpu
