// A profile that the viewer shows or is going to show: how far its opening is, why it failed, or the open profile. Any
// number of threads at once.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serve/profile.h"
#include "session/opened_profile.h"
#include "table/json_text_writer.h"

namespace cgpu {

/// A file that the page saves.
struct SavedFile {
  std::string kind;       // "report", "copy"
  std::string file_name;  // that it is saved under
  std::function<std::string()> make;
};

class ViewedProfile {
 public:
  explicit ViewedProfile(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {}

  /// Reports progress: the share of the work that is done, and the current phase.
  void report(double share, const std::string& what);
  /// Lays out the timeline; ready from then on. `progress` is called with the share done.
  /// `kernel_rules`: as in OpenOptions.
  void show(Session session, unsigned threads = 0, const TimelineView::Progress& progress = nullptr,
            std::string kernel_rules = "");
  /// A summary, which has no timeline: its tables alone; ready from then on.
  void show_summary(OpenedProfile summary);
  /// It cannot be opened.
  void fail(const std::string& message);
  /// It can be saved as files that are made on demand, by any thread. Before the first request.
  void offer(std::vector<SavedFile> files) { files_ = std::move(files); }

  /// Null until it is ready, for ever where it has failed and of a summary.
  const Profile* profile() const { return profile_; }
  /// The same of a summary; null of all else.
  const OpenedProfile* summary() const { return summary_; }
  const std::vector<SavedFile>& files() const { return files_; }
  bool has_failed() const;
  bool is_ready() const { return profile() != nullptr || summary() != nullptr; }
  /// The members "state", "share", "what", "error" and "inputs" of an object.
  void write_status(JsonTextWriter& json) const;

 private:
  const std::vector<std::string> inputs_;
  std::vector<SavedFile> files_;

  mutable std::mutex mutex_;  // of the five
  double share_ = 0;
  std::string what_ = "opening";
  std::string error_;
  std::unique_ptr<const Profile> owned_;
  std::optional<const OpenedProfile> owned_summary_;
  std::atomic<const Profile*> profile_ = nullptr;
  std::atomic<const OpenedProfile*> summary_ = nullptr;
};

}  // namespace cgpu
