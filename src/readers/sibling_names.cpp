#include "readers/sibling_names.h"

#include <filesystem>
#include <string_view>
#include <system_error>

namespace cgpu {

namespace {

namespace fs = std::filesystem;

constexpr int kMostSiblings = 100;

/// A name with "#" for each number in it, without the ending of a compression.
std::string pattern_of(const fs::path& path) {
  std::string name = path.filename().string();
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  std::string pattern;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) pattern += c;
    if (is_digit && !pattern.ends_with('#')) pattern += '#';
  }
  return pattern;
}

/// Calls found(path) for what a folder holds with a name of this pattern, until it says true.
template <typename Found>
bool any_in(const fs::path& folder, const std::string& pattern, const Found& found) {
  std::error_code unreadable;
  for (auto entry = fs::directory_iterator(folder, unreadable); !unreadable && entry != fs::directory_iterator();
       entry.increment(unreadable)) {
    if (pattern_of(entry->path()) == pattern && found(entry->path())) return true;
  }
  return false;
}

}  // namespace

bool is_called_as_profiles(const std::string& path, const std::function<bool(const std::string&)>& is_profile) {
  const fs::path file(path);
  const fs::path folder = file.parent_path();
  const std::string pattern = pattern_of(file);
  int looked_at = 0;
  const auto is_one = [&](const fs::path& other) {
    return other != file && looked_at++ < kMostSiblings && is_profile(other.string());
  };
  if (any_in(folder, pattern, is_one)) return true;
  const std::string folders = pattern_of(folder);
  if (folders.find('#') == std::string::npos) return false;
  return any_in(folder.parent_path(), folders,
                [&](const fs::path& other) { return other != folder && any_in(other, pattern, is_one); });
}

}  // namespace cgpu
