#include "serve/rank_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/natural_order.h"
#include "readers/reader.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

constexpr const char* kWhatToDo = "name the folder where it is with --traces FOLDER";

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

/// NAME, or FOLDER/NAME.
bool is_name_of_summary(const std::string& name) {
  const size_t slash = name.find('/');
  if (slash == std::string::npos) return is_plain_name(name);
  return is_plain_name(name.substr(0, slash)) && is_plain_name(name.substr(slash + 1));
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

/// What is found of a name in a folder and in those in it.
class NameSearch {
 public:
  /// `folder`: without links.
  explicit NameSearch(fs::path folder) : folder_(std::move(folder)) {}

  void look_at(const fs::path& path) {
    std::error_code ignored;
    const fs::path real = fs::canonical(path, ignored);
    if (real.empty()) return;
    if (!is_below(real, folder_)) {
      leads_out_ = path;
    } else if (fs::is_regular_file(real, ignored) ||
               (fs::is_directory(real, ignored) && is_profile_folder(real.string()))) {
      profiles_.push_back(real);
    }
  }
  void look_below(const std::string& name) {
    std::error_code unreadable;
    for (auto entry = fs::directory_iterator(folder_, unreadable); !unreadable && entry != fs::directory_iterator();
         entry.increment(unreadable)) {
      std::error_code ignored;
      if (entry->is_directory(ignored) && !entry->path().filename().string().starts_with(".")) {
        look_at(entry->path() / name);
      }
    }
  }

  /// Nothing where there is none. Throws Error where it is not clear which.
  std::optional<std::string> profile() {
    const auto before = [](const fs::path& a, const fs::path& b) { return natural_less(a.string(), b.string()); };
    std::sort(profiles_.begin(), profiles_.end(), before);
    profiles_.erase(std::unique(profiles_.begin(), profiles_.end()), profiles_.end());
    if (profiles_.size() > 1) {
      throw Error(profiles_[0].string(), fmt::format("may be the profile, and {} others of that name, like {}: {}",
                                                     profiles_.size() - 1, profiles_[1].string(), kWhatToDo));
    }
    if (!profiles_.empty()) return profiles_.front().string();
    if (!leads_out_.empty()) {
      throw Error(leads_out_.string(),
                  fmt::format("is a link out of {}, which is not followed: {}", folder_.string(), kWhatToDo));
    }
    return std::nullopt;
  }

 private:
  fs::path folder_;
  std::vector<fs::path> profiles_;
  fs::path leads_out_;
};

std::optional<std::string> find_in(const std::string& folder, const std::string& name) {
  std::error_code ignored;
  const fs::path real = fs::canonical(folder, ignored);
  if (real.empty()) return std::nullopt;
  NameSearch found(real);
  found.look_at(real / name);
  const fs::path own = fs::path(name).filename();
  if (own != name && fs::path(name).parent_path() == real.filename()) found.look_at(real / own);
  if (auto profile = found.profile()) return profile;
  found.look_below(name);
  return found.profile();
}

}  // namespace

RankFiles::RankFiles(std::vector<std::string> folders) : folders_(std::move(folders)) {
  for (const std::string& folder : folders_) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) throw Error(folder, "is no folder (--traces)");
  }
}

std::string RankFiles::find(const std::string& name, const std::string& summary) const {
  if (!is_name_of_summary(name)) {
    throw Error(summary, fmt::format("has a rank that it says was made of \"{}\": that is no name of a "
                                     "profile, and it is not looked for",
                                     name));
  }
  std::vector<std::string> folders = folders_;
  if (folders.empty()) folders.push_back(fs::absolute(summary).parent_path().string());
  for (const std::string& folder : folders) {
    if (const auto profile = find_in(folder, name)) return *profile;
  }
  throw Error(name,
              fmt::format("is not in {}, nor directly in a folder there: {}", fmt::join(folders, ", "), kWhatToDo));
}

}  // namespace cgpu
