#include "readers/discover.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "base/natural_order.h"
#include "base/remote_file.h"
#include "base/text_source.h"
#include "readers/manifest.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 4;
constexpr size_t kMostEntries = 100'000;

bool has_wildcard(const std::string& input) {
  return input.find_first_of("*?[") != std::string::npos;
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// What a path leads to, whatever it is called: device and number of the file.
using FileIdentity = std::pair<uint64_t, uint64_t>;
std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (path == "-" || ::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity(status.st_dev, status.st_ino);
}

class FolderSearch {
 public:
  FolderSearch(const std::string& folder, const std::function<bool(const std::string&)>& is_profile)
      : folder_(folder), is_profile_(is_profile) {
    search(folder, 1);
    std::sort(found_.begin(), found_.end(),
              [](const ProfilePath& a, const ProfilePath& b) { return natural_less(a.path, b.path); });
    if (!found_.empty()) found_.front().repeated = std::move(repeated_);
  }
  std::vector<ProfilePath> take() { return std::move(found_); }

 private:
  void search(const fs::path& folder, int level) {
    const auto identity = identity_of(folder.string());
    if (identity && !visited_.insert(*identity).second) {
      repeated_.push_back(folder.string());
      return;
    }
    std::error_code unreadable;
    for (auto entry = fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, unreadable);
         !unreadable && entry != fs::directory_iterator(); entry.increment(unreadable)) {
      if (++entries_ > kMostEntries) {
        throw Error(folder_, "holds more files than a run does; name the profiles in it, or a folder below");
      }
      const fs::path& path = entry->path();
      if (path.filename().string().starts_with(".") || path.filename() == kManifestName) continue;
      std::error_code ignored;
      if (entry->is_regular_file(ignored)) {
        found_.push_back({path.string(), true, false});
      } else if (entry->is_directory(ignored) && path.filename() != kCaptureFolder) {
        if (is_profile_(path.string())) {
          found_.push_back({path.string(), true, true});
        } else if (level < kDeepest) {
          search(path, level + 1);
        }
      }
    }
  }

  const std::string& folder_;
  const std::function<bool(const std::string&)>& is_profile_;
  std::vector<ProfilePath> found_;
  std::set<FileIdentity> visited_;     // folders
  std::vector<std::string> repeated_;  // other names of these
  size_t entries_ = 0;
};

/// Takes out the entries for which `kept` gives an earlier or better one, which takes over their names.
template <typename Kept>
void merge_repeated(std::vector<ProfilePath>& all, Kept kept) {
  std::vector<bool> gone(all.size(), false);
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t other = kept(i);
    if (other == i) continue;
    gone[i] = true;
    all[other].repeated.push_back(all[i].path);
    all[other].repeated.insert(all[other].repeated.end(), all[i].repeated.begin(), all[i].repeated.end());
    all[other].found = all[other].found && all[i].found;
  }
  size_t next = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (gone[i]) continue;
    if (next != i) all[next] = std::move(all[i]);
    ++next;
  }
  all.resize(next);
}

bool begin_alike(const std::string& a, const std::string& b) {
  constexpr size_t kCompared = size_t{64} << 10;
  try {
    std::string heads[2];
    for (int i = 0; i < 2; ++i) {
      heads[i].resize(kCompared);
      heads[i].resize(open_text(i == 0 ? a : b)->read_at(0, heads[i].data(), kCompared));
    }
    return heads[0] == heads[1];
  } catch (const Error&) {
    return false;
  }
}

void give_once(std::vector<ProfilePath>& all) {
  std::map<FileIdentity, size_t> files;
  merge_repeated(all, [&](size_t i) {
    const auto identity = identity_of(all[i].path);
    return identity ? files.try_emplace(*identity, i).first->second : i;
  });
  std::map<std::string, size_t> names;
  for (size_t i = 0; i < all.size(); ++i) names.emplace(all[i].path, i);
  merge_repeated(all, [&](size_t i) {
    const std::string& path = all[i].path;
    for (const std::string_view ending : {".gz", ".zst"}) {
      if (!path.ends_with(ending)) continue;
      const auto plain = names.find(path.substr(0, path.size() - ending.size()));
      if (plain != names.end() && begin_alike(path, plain->first)) return plain->second;
    }
    // A report of Nsight Systems and its export are one profile.
    for (const std::string_view ending : {".nsys-rep", ".qdrep"}) {
      if (!path.ends_with(ending)) continue;
      const auto exported = names.find(path.substr(0, path.size() - ending.size()) + ".sqlite");
      if (exported != names.end()) return exported->second;
    }
    return i;
  });
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t matches{};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
    for (size_t i = 0; i < matches.gl_pathc; ++i) paths.emplace_back(matches.gl_pathv[i]);
  }
  ::globfree(&matches);
  if (paths.empty()) throw Error(pattern, "no file matches this pattern");
  return paths;
}

}  // namespace

std::vector<ProfilePath> discover(const std::vector<std::string>& inputs,
                                  const std::function<bool(const std::string&)>& is_profile) {
  std::vector<ProfilePath> all;
  const auto add = [&](const std::string& path) {
    if (path == "-" || !is_folder(path)) {
      all.push_back({path, false, false});
    } else if (is_profile(path)) {
      all.push_back({path, false, true});
    } else {
      for (ProfilePath& profile : FolderSearch(path, is_profile).take()) all.push_back(std::move(profile));
    }
  };
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (has_wildcard(input) && !is_remote(input) && !fs::exists(input, ignored)) {
      for (const std::string& path : matches_of(input)) add(path);
    } else {
      add(input);
    }
  }
  give_once(all);
  return all;
}

}  // namespace cgpu
