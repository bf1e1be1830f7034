// The viewer, apart from HTTP: answers every path, from the first request on, while profiles are still being opened or
// where one cannot be opened. Any number of threads at once.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/compared_profiles.h"
#include "serve/endpoints/endpoints.h"
#include "serve/http/answer.h"
#include "serve/rank_timelines.h"
#include "serve/viewed_profile.h"

namespace cgpu {

class Viewer {
 public:
  explicit Viewer(std::string version);

  const ServerIdentity& identity() const { return identity_; }

  /// Adds a profile; its number is the count of those before it. All must be added before the first request.
  ViewedProfile& add(std::vector<std::string> inputs);

  /// The second profile is compared with the first.
  void compare() { compares_ = true; }

  /// Ranks of the first profile, which is a summary, can be opened, too: as RankTimelines are made.
  void offer_ranks(InputOptions options, std::vector<std::string> folders, std::function<void(const std::string&)> log);
  /// Whether a timeline of ranks is being opened, which cannot be interrupted.
  bool is_opening_ranks() const { return ranks_ && ranks_->is_opening(); }

  /// Whether a request for a path changes the state of the server.
  static bool changes(std::string_view path);

  /// Whether the answer to a path can never change any more: what a profile says is fixed once it is open.
  bool is_fixed(std::string_view path) const;

  /// Cancels work that may take long: SQL statements.
  void end_work() const;

  /// Answers any path: the page, its parts, and the requests under /api/. Throws nothing.
  Answer answer(const Request& request) const;

 private:
  Answer status() const;
  Answer answer_api(const Request& request) const;
  /// What is asked about one profile, which is kept until all of the answer has been sent.
  Answer answer_about(const std::shared_ptr<const ViewedProfile>& viewed, const Request& request,
                      std::string_view what) const;
  /// The session of the summary; null while it is not open, and where its ranks are not offered.
  const SummarySession* summary_session() const;
  /// The timeline of ranks that a number beyond those of the profiles stands for. Throws RequestError.
  std::shared_ptr<const RankTimelines::Timeline> timeline_of(size_t number) const;
  Answer answer_about_both(const Request& request) const;
  bool are_both_open() const;

  ServerIdentity identity_;
  std::vector<std::shared_ptr<ViewedProfile>> profiles_;
  bool compares_ = false;
  std::unique_ptr<RankTimelines> ranks_;  // null where none are offered
  mutable std::once_flag compared_once_;
  mutable std::optional<ComparedProfiles> compared_;  // created on first use
};

}  // namespace cgpu
