// The timelines of ranks of a summary, opened from their profiles on demand.
//
// They are opened one after another, by one thread. A few stay open, of so many ranks together; of more, the one that
// was asked about least recently is released, when the last answer that reads it has been sent. Any number of threads
// at once.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serve/rank_files.h"
#include "serve/viewed_profile.h"
#include "session/input_options.h"
#include "session/summaries/summary_session.h"

namespace cgpu {

class RankTimelines {
 public:
  static constexpr size_t kMostOpen = 4;    // timelines, also those that are being opened
  static constexpr size_t kMostRanks = 32;  // of one, and of all of them

  /// Ranks that were opened together.
  struct Timeline {
    Timeline(std::vector<int64_t> its_ranks, const std::vector<std::string>& files)
        : ranks(std::move(its_ranks)), profile(files) {}
    const std::vector<int64_t> ranks;  // ascending
    ViewedProfile profile;
  };

  /// `options`: how to open, but for what. `folders`: as of RankFiles. `log`: receives what goes wrong, in a line, by
  /// any thread. Throws Error for folders that are none.
  RankTimelines(InputOptions options, std::vector<std::string> folders, std::function<void(const std::string&)> log);
  /// Waits for what is being opened.
  ~RankTimelines();
  RankTimelines(const RankTimelines&) = delete;
  RankTimelines& operator=(const RankTimelines&) = delete;

  /// What the summary says of a rank.
  struct RankFile {
    int64_t rank = 0;
    std::string name;
    std::string path;   // "" where there is no such profile
    std::string error;  // why
  };
  /// Of these ranks, in their order. Throws RequestError for ranks that the summary does not have, and for too many.
  std::vector<RankFile> files(const SummarySession& summary, const std::vector<int64_t>& ranks) const;

  /// Begins to open ranks together; returns the number of their timeline, which is never used again for others. Those
  /// that are open already, or are being opened, are not opened again. Throws RequestError where their profiles are
  /// missing, and while too many are being opened.
  size_t open(const SummarySession& summary, const std::vector<int64_t>& ranks);

  /// By its number. Throws RequestError for one that was released, or that never was.
  std::shared_ptr<const Timeline> find(size_t number) const;

  /// Those that are open.
  std::vector<std::shared_ptr<const Timeline>> all() const;
  /// Whether one is being opened, which cannot be interrupted.
  bool is_opening() const;

 private:
  /// A rank that is wanted.
  struct RequestedRank {
    int64_t rank = 0;                // as the session of the summary numbers it
    std::optional<int64_t> claimed;  // that its profile says it is
    std::string path;
    std::string summary;  // the file that says so
  };
  struct OpeningJob {
    std::shared_ptr<Timeline> timeline;
    std::vector<RequestedRank> ranks;
    InputOptions input;
  };
  struct OpenTimeline {
    size_t number = 0;
    std::shared_ptr<Timeline> timeline;
  };

  /// Their indices among the runs of the summary, ascending. Throws RequestError.
  static std::vector<size_t> runs_of(const SummarySession& summary, const std::vector<int64_t>& ranks);
  static void keep_requested(Session& session, const std::vector<RequestedRank>& ranks);
  /// Evicts timelines to make room for another one, and those that could not be opened. Returns them, to be destroyed
  /// without the lock. Throws RequestError.
  std::vector<std::shared_ptr<Timeline>> evict(const std::vector<int64_t>& ranks);
  bool has_room(size_t ranks) const;
  void open_all();
  void open(const OpeningJob& job);

  const InputOptions options_;
  const RankFiles files_;
  const std::function<void(const std::string&)> log_;

  mutable std::mutex mutex_;                        // of what follows
  mutable std::list<OpenTimeline> open_timelines_;  // the one asked about most recently first
  size_t next_ = 0;                                 // number
  std::list<OpeningJob> jobs_;                      // the current one, then those that wait
  bool ends_ = false;
  std::condition_variable changed_;
  std::thread thread_;  // last: it uses all of these
};

}  // namespace cgpu
