// The folder into which `cgpu watch` writes. It is the state of the watch: a run whose line is in it is done.
//
//   verdicts.jsonl     a line a run (verdict_line.h)
//   NAME.cgpu          the summary of the run of this name; NAME.2.cgpu of what has replaced it
//   cgpu.prom          metrics (prometheus_text.h)
//   .lock, .reading    that a process writes here; which run it reads
//
// A process may be killed at any moment: files are replaced as a whole, a line that was not written completely is cut
// off at the next start, and its run is judged again. About 300 bytes of memory a line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "watch/verdict_line.h"
#include "watch/watched_folder.h"

namespace cgpu {

class WatchOutput {
 public:
  /// Makes the folder where there is none, and reads what former processes left. Throws Error where it cannot be
  /// written, and where another process writes there.
  explicit WatchOutput(std::string folder);
  ~WatchOutput();
  WatchOutput(const WatchOutput&) = delete;
  WatchOutput& operator=(const WatchOutput&) = delete;

  /// Whether a folder is the output of a watch.
  static bool is_one(const std::string& folder);
  /// Whether this version of an entry has a line.
  bool has(const WatchedEntry& entry) const;
  /// Lines by outcome, and the last of them.
  const std::array<uint64_t, kWatchOutcomes>& runs() const { return runs_; }
  const std::optional<VerdictLine>& last() const { return last_; }
  /// Lines that could not be understood.
  size_t damaged_lines() const { return damaged_lines_; }

  /// To be called before a run is read. Returns how many processes have been killed, or have crashed, since they began
  /// to read this version of it.
  size_t begin(const WatchedEntry& entry);
  /// Returns the name of the file. Throws Error where it cannot be written, as the ones below.
  std::string write_summary(const std::string& entry, const std::string& bytes) const;
  /// Returns the line as it was written.
  std::string append(const VerdictLine& line);
  void write_metrics(const std::string& text) const;

 private:
  struct Reading {
    std::string name;
    EntryVersion version;
    size_t times = 0;
  };

  std::string path_of(const std::string& name) const;
  void lock();
  void remove_unfinished() const;
  void read_lines();
  void read_reading();
  void add(const VerdictLine& line);

  std::string folder_;
  int lock_ = -1;
  std::map<std::string, std::vector<EntryVersion>> done_;  // by name
  std::set<std::string> summaries_;                        // names of their files
  std::array<uint64_t, kWatchOutcomes> runs_ = {};
  std::optional<VerdictLine> last_;
  size_t damaged_lines_ = 0;
  Reading reading_;
};

}  // namespace cgpu
