#include "serve/rank_timelines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "base/allocator.h"
#include "base/error.h"
#include "serve/http/answer.h"
#include "serve/opening.h"

namespace cgpu {

namespace {

/// Of these ranks alone, whatever part of the summary is looked at.
InputOptions without_inputs(InputOptions options) {
  options.inputs.clear();
  options.rank.clear();
  return options;
}

std::vector<std::string> each_once(std::vector<std::string> paths) {
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace

RankTimelines::RankTimelines(InputOptions options, std::vector<std::string> folders,
                             std::function<void(const std::string&)> log)
    : options_(without_inputs(std::move(options))),
      files_(std::move(folders)),
      log_(std::move(log)),
      thread_([this] { open_all(); }) {}

RankTimelines::~RankTimelines() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::vector<size_t> RankTimelines::runs_of(const SummarySession& summary, const std::vector<int64_t>& ranks) {
  if (ranks.empty() || ranks.size() > kMostRanks) {
    throw RequestError(kBadRequest, fmt::format("rank: 1 to {} ranks were expected", kMostRanks));
  }
  const std::vector<Run>& runs = summary.session().runs;
  std::vector<size_t> found;
  for (const int64_t rank : ranks) {
    const auto run = std::lower_bound(runs.begin(), runs.end(), rank,
                                      [](const Run& one, int64_t number) { return one.rank < number; });
    if (run == runs.end() || run->rank != rank) {
      throw RequestError(kNotFound, fmt::format("the summary has no rank {}", rank));
    }
    found.push_back(static_cast<size_t>(run - runs.begin()));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<RankTimelines::RankFile> RankTimelines::files(const SummarySession& summary,
                                                          const std::vector<int64_t>& ranks) const {
  std::vector<RankFile> files;
  for (const size_t run : runs_of(summary, ranks)) {
    RankFile& file = files.emplace_back();
    file.rank = summary.session().runs[run].rank;
    file.name = summary.entry_of(run).file;
    try {
      file.path = files_.find(file.name, summary.source_of(run));
    } catch (const Error& error) {
      file.error = error.what();
    }
  }
  return files;
}

size_t RankTimelines::open(const SummarySession& summary, const std::vector<int64_t>& wanted) {
  OpeningJob job{nullptr, {}, options_};
  std::vector<int64_t> ranks;
  std::vector<std::string> paths;
  for (const size_t run : runs_of(summary, wanted)) {
    const Summary::Entry& entry = summary.entry_of(run);
    ranks.push_back(summary.session().runs[run].rank);
    try {
      paths.push_back(files_.find(entry.file, summary.source_of(run)));
    } catch (const Error& error) {
      throw RequestError(kNotFound, fmt::format("rank {}: {}", ranks.back(), error.what()));
    }
    const auto claimed = entry.rank_known ? std::optional(entry.rank) : std::nullopt;
    job.ranks.push_back({ranks.back(), claimed, paths.back(), summary.source_of(run)});
  }
  job.input.inputs = each_once(paths);  // a file may hold several ranks
  job.timeline = std::make_shared<Timeline>(ranks, job.input.inputs);

  std::vector<std::shared_ptr<Timeline>> closed;
  size_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto same = std::find_if(open_timelines_.begin(), open_timelines_.end(), [&](const OpenTimeline& entry) {
      return entry.timeline->ranks == ranks && !entry.timeline->profile.has_failed();
    });
    if (same != open_timelines_.end()) {
      open_timelines_.splice(open_timelines_.begin(), open_timelines_, same);
      return same->number;
    }
    closed = evict(ranks);
    number = next_++;
    open_timelines_.push_front({number, job.timeline});
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
  if (!closed.empty()) {
    closed.clear();
    return_freed_memory();
  }
  return number;
}

bool RankTimelines::has_room(size_t ranks) const {
  for (const OpenTimeline& entry : open_timelines_) ranks += entry.timeline->ranks.size();
  return open_timelines_.size() < kMostOpen && ranks <= kMostRanks;
}

std::vector<std::shared_ptr<RankTimelines::Timeline>> RankTimelines::evict(const std::vector<int64_t>& ranks) {
  std::vector<std::shared_ptr<Timeline>> closed;
  const auto take = [&](std::list<OpenTimeline>::iterator entry) {
    closed.push_back(std::move(entry->timeline));
    return open_timelines_.erase(entry);
  };
  for (auto entry = open_timelines_.begin(); entry != open_timelines_.end();) {
    entry = entry->timeline->ranks == ranks ? take(entry) : std::next(entry);  // that failed
  }
  while (!has_room(ranks.size())) {
    const auto oldest = std::find_if(open_timelines_.rbegin(), open_timelines_.rend(), [](const OpenTimeline& entry) {
      return entry.timeline->profile.is_ready() || entry.timeline->profile.has_failed();
    });
    if (oldest == open_timelines_.rend()) {
      throw RequestError(kUnavailable, "other ranks are being opened; ask again when one of them is open");
    }
    take(std::prev(oldest.base()));
  }
  return closed;
}

std::shared_ptr<const RankTimelines::Timeline> RankTimelines::find(size_t number) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(open_timelines_.begin(), open_timelines_.end(),
                                  [&](const OpenTimeline& entry) { return entry.number == number; });
  if (found == open_timelines_.end()) {
    if (number >= next_) throw RequestError(kNotFound, "there is no such profile");
    throw RequestError(kGone, "this timeline has been let go for others: open it again");
  }
  open_timelines_.splice(open_timelines_.begin(), open_timelines_, found);
  return found->timeline;
}

std::vector<std::shared_ptr<const RankTimelines::Timeline>> RankTimelines::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const Timeline>> all;
  for (const OpenTimeline& entry : open_timelines_) all.push_back(entry.timeline);
  return all;
}

bool RankTimelines::is_opening() const {
  const std::lock_guard lock(mutex_);
  return !jobs_.empty();
}

void RankTimelines::open_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
    if (ends_) return;
    const OpeningJob& job = jobs_.front();
    lock.unlock();
    open(job);
    lock.lock();
    jobs_.pop_front();
  }
}

void RankTimelines::open(const OpeningJob& job) {
  ViewedProfile& profile = job.timeline->profile;
  try {
    OpenOptions opening = job.input.open();
    opening.warn = [&](const std::string& line) { log_("warning: " + line); };
    open_profile(profile, job.input, std::move(opening), [&](Session& session) { keep_requested(session, job.ranks); });
  } catch (const std::exception& error) {
    log_(error.what());
    profile.fail(error.what());
  }
}

/// Keeps the runs of the ranks that are wanted, with the numbers that they have in the summary. Throws Error where
/// others lie there.
void RankTimelines::keep_requested(Session& session, const std::vector<RequestedRank>& ranks) {
  std::vector<Run> taken;
  for (const RequestedRank& wanted : ranks) {
    const auto fit = [&](const Run& run) {  // 0: it is not this rank
      if (run.file != wanted.path) return 0;
      const std::optional<int64_t> claimed = recorded_rank(run);
      if (claimed == wanted.claimed) return 2;
      return claimed && wanted.claimed ? 0 : 1;  // a profile without a rank is accepted
    };
    const auto best = std::max_element(session.runs.begin(), session.runs.end(),
                                       [&](const Run& a, const Run& b) { return fit(a) < fit(b); });
    if (best == session.runs.end() || fit(*best) == 0) {
      std::vector<int64_t> others;
      for (const Run& run : session.runs) {
        if (run.file == wanted.path) others.push_back(recorded_rank(run).value_or(run.rank));
      }
      throw Error(wanted.path,
                  fmt::format("is of rank {}, where {} says that the profile of that name is of rank {}: another one "
                              "lies there; name the folder of the right one with --traces FOLDER",
                              fmt::join(others, ", "), std::filesystem::path(wanted.summary).filename().string(),
                              wanted.claimed.value_or(wanted.rank)));
    }
    best->rank = wanted.rank;
    taken.push_back(std::move(*best));
    session.runs.erase(best);
  }
  session.runs = std::move(taken);
}

}  // namespace cgpu
