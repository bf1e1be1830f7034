// The folder that `cgpu watch` looks into. Each entry in it is a run: a file, or a folder with the files of one run. An
// entry is settled when its size and time of modification stay the same from one scan to another one at least `settle`
// later: nobody writes it any more. O(files below the folder) a scan; memory for the names of the entries.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cgpu {

/// Which content an entry has, as far as it shows without reading it. Of a folder the sum of the sizes of its files,
/// and the latest time of them.
struct EntryVersion {
  uint64_t size = 0;
  int64_t modified_unix_ns = 0;

  bool operator==(const EntryVersion&) const = default;
};

/// Nothing where there is no file and no folder of this name.
std::optional<EntryVersion> version_of(const std::string& path);

struct WatchedEntry {
  std::string name;  // in the folder
  std::string path;
  EntryVersion version;
};

class WatchedFolder {
 public:
  using Clock = std::chrono::steady_clock;

  /// Hidden entries, manifests of recordings and captures of graphs are no runs. `left_out`: a folder that is no run,
  /// if it lies in this one.
  WatchedFolder(std::string folder, std::string left_out, Clock::duration settle);

  /// Throws Error where the folder cannot be read.
  void scan(Clock::time_point now);
  /// Whether the last scan found an entry of this name.
  bool has(const std::string& name) const { return entries_.contains(name); }
  /// By the last scan, the one that was modified first in front.
  std::vector<WatchedEntry> settled() const;
  /// How long after the last scan an entry that has not settled may have; nothing where all have.
  std::optional<Clock::duration> next_settles() const;
  /// The scan that found an entry settled.
  Clock::time_point settled_since(const std::string& name) const { return entries_.at(name).settled_since; }

 private:
  struct State {
    EntryVersion version;
    Clock::time_point seen;  // with this version, first
    Clock::time_point settled_since;
    bool is_settled = false;
  };

  std::string folder_;
  std::string left_out_;
  Clock::duration settle_;
  Clock::time_point scanned_;
  std::map<std::string, State> entries_;  // by name
};

}  // namespace cgpu
