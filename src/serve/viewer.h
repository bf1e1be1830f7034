// The viewer's server without its transport: from the first request while the profile is still being opened, through
// answers, to the error page. Any number of threads at once.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/answer.h"
#include "serve/endpoints.h"
#include "serve/profile.h"

namespace cgpu {

class Viewer {
 public:
  Viewer(std::string version, std::vector<std::string> inputs);

  const ServerIdentity& identity() const { return identity_; }

  /// How far the opening is: share of the work, and what is being done.
  void report(double share, const std::string& what);
  /// Lays out the timeline; ready from then on. `progress` is called with the share done.
  void show(Session session, unsigned threads = 0, const TimelineView::Progress& progress = nullptr);
  /// The profile cannot be opened.
  void fail(const std::string& message);

  /// Whether everything but the status is still to come, or never will.
  bool is_ready() const { return profile_.load() != nullptr; }

  /// Answers any path: the page, its parts, and the requests under /api/. Throws nothing.
  Answer answer(const Request& request) const;

 private:
  Answer status() const;
  Answer answer_api(const Request& request) const;

  ServerIdentity identity_;
  std::vector<std::string> inputs_;

  mutable std::mutex mutex_;  // of the four
  double share_ = 0;
  std::string what_;
  std::string error_;
  std::unique_ptr<Profile> owned_;
  std::atomic<const Profile*> profile_ = nullptr;
};

}  // namespace cgpu
