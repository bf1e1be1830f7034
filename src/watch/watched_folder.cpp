#include "watch/watched_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "readers/discover.h"
#include "readers/manifest.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;

EntryVersion version_of_file(const struct stat& status) {
  return {static_cast<uint64_t>(status.st_size),
          int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

EntryVersion version_of_folder(const std::string& folder) {
  EntryVersion all;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    struct stat status {};
    if (::stat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const EntryVersion one = version_of_file(status);
    all.size += one.size;
    all.modified_unix_ns = std::max(all.modified_unix_ns, one.modified_unix_ns);
  }
  return all;
}

}  // namespace

std::optional<EntryVersion> version_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  if (S_ISDIR(status.st_mode)) return version_of_folder(path);
  return S_ISREG(status.st_mode) ? std::optional(version_of_file(status)) : std::nullopt;
}

WatchedFolder::WatchedFolder(std::string folder, std::string left_out, Clock::duration settle)
    : folder_(std::move(folder)), left_out_(std::move(left_out)), settle_(settle) {}

void WatchedFolder::scan(Clock::time_point now) {
  std::map<std::string, State> found;
  std::error_code failed;
  for (fs::directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed)) {
    std::string name = at->path().filename().string();
    if (name.starts_with('.') || name == kManifestName || name == kCaptureFolder) continue;
    std::error_code unlike;
    if (at->is_directory(unlike) && fs::equivalent(at->path(), left_out_, unlike)) continue;
    const std::optional<EntryVersion> version = version_of(at->path().string());
    if (!version) continue;
    State state{*version, now, now, false};
    const auto before = entries_.find(name);
    if (before != entries_.end() && before->second.version == *version) state = before->second;
    if (!state.is_settled && now - state.seen >= settle_) {
      state.is_settled = true;
      state.settled_since = now;
    }
    found.emplace(std::move(name), state);
  }
  if (failed) throw Error(folder_, "cannot be read: " + failed.message());
  entries_ = std::move(found);
  scanned_ = now;
}

std::vector<WatchedEntry> WatchedFolder::settled() const {
  std::vector<WatchedEntry> all;
  for (const auto& [name, state] : entries_) {
    if (state.is_settled) all.push_back({name, (fs::path(folder_) / name).string(), state.version});
  }
  std::ranges::sort(all, [](const WatchedEntry& a, const WatchedEntry& b) {
    return std::tie(a.version.modified_unix_ns, a.name) < std::tie(b.version.modified_unix_ns, b.name);
  });
  return all;
}

std::optional<WatchedFolder::Clock::duration> WatchedFolder::next_settles() const {
  std::optional<Clock::duration> next;
  for (const auto& [name, state] : entries_) {
    if (state.is_settled) continue;
    const Clock::duration left = state.seen + settle_ - scanned_;
    next = std::min(next.value_or(left), left);
  }
  return next;
}

}  // namespace cgpu
