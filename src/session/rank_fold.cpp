#include "session/rank_fold.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>

#include "analysis/ranks/rank_waits.h"
#include "base/error.h"
#include "base/threads.h"
#include "links/clocks.h"
#include "session/kept_session.h"
#include "session/let_go.h"
#include "session/summary.h"

namespace cgpu {

namespace {

/// A rank needs at most about this many times the bytes of its file while it is open: a compressed one swells.
constexpr double kOpenBytesOfPlainByte = 1.0;
constexpr double kOpenBytesOfCompressedByte = 12.0;
/// The share of the free memory that open ranks may take.
constexpr double kShareOfMemory = 0.5;

double open_bytes(const ProfilePath& profile) {
  std::error_code error;
  double bytes = 0;
  if (profile.is_folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(profile.path, error)) {
      if (entry.is_regular_file(error)) bytes += static_cast<double>(entry.file_size(error));
    }
  } else {
    bytes = static_cast<double>(std::filesystem::file_size(profile.path, error));
    if (error) bytes = 0;
  }
  const bool compressed = profile.path.ends_with(".gz") || profile.path.ends_with(".zst");
  return bytes * (compressed ? kOpenBytesOfCompressedByte : kOpenBytesOfPlainByte);
}

/// How many ranks to open at once.
unsigned ranks_at_once(const std::vector<ProfilePath>& profiles, unsigned threads) {
  double largest = 1;
  for (const ProfilePath& profile : profiles) largest = std::max(largest, open_bytes(profile));
  struct sysinfo system {};
  const double free_bytes = ::sysinfo(&system) == 0 ? static_cast<double>(system.freeram + system.bufferram) *
                                                          static_cast<double>(system.mem_unit)
                                                    : 0;
  const double fit = kShareOfMemory * free_bytes / largest;
  return static_cast<unsigned>(std::clamp(fit, 1.0, static_cast<double>(threads)));
}

class RankFold {
 public:
  RankFold(const OpenOptions& open, const std::vector<WantedTable>& wanted,
           const std::function<void(const RunInSession&)>& look, std::vector<ProfilePath> profiles)
      : open_(open),
        wanted_(wanted),
        look_(look),
        dictionary_(dictionary_of(open)),
        profiles_(std::move(profiles)),
        runs_(profiles_.size()) {
    threads_ = thread_count(open.threads);
    workers_ = std::min(ranks_at_once(profiles_, threads_), static_cast<unsigned>(profiles_.size()));
  }

  /// False where the profiles have to be opened together after all.
  bool see_all() {
    std::vector<std::vector<std::unique_ptr<Partial>>> kept(workers_);
    on_threads(workers_, [&](unsigned worker) { work(kept[worker]); });
    if (error_) std::rethrow_exception(error_);
    if (joined_) return false;
    partials_ = std::move(kept[0]);
    for (unsigned worker = 1; worker < workers_ && !kept[worker].empty(); ++worker) {
      for (size_t i = 0; i < partials_.size(); ++i) {
        if (partials_[i]) partials_[i]->combine(std::move(*kept[worker][i]));
      }
    }
    return true;
  }

  /// Puts the ranks in order and their clocks together.
  SeenRanks take() {
    std::vector<Run> runs;
    std::vector<std::string> not_profiles;
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i]) {
        report_losses(*runs_[i], open_);
        runs.push_back(std::move(*runs_[i]));
      } else {
        not_profiles.push_back(profiles_[i].path);
      }
    }
    SeenRanks seen;
    seen.session = std::make_unique<Session>(join_runs(open_.inputs, std::move(runs), not_profiles));
    align_clocks(*seen.session);
    for (const Run& run : seen.session->runs) seen.numbers.push_back(run.number);
    look_again(*seen.session, seen.numbers);
    seen.facts = std::make_unique<SessionFacts>(*seen.session);
    seen.partials = std::move(partials_);
    return seen;
  }

 private:
  /// Takes one profile after another until there is none.
  void work(std::vector<std::unique_ptr<Partial>>& kept) {
    for (const WantedTable& table : wanted_) {
      kept.push_back(table.analysis->fold ? table.analysis->fold(*table.analysis, table.options) : nullptr);
    }
    try {
      while (const auto number = next()) see(*number, kept);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  std::optional<uint32_t> next() {
    const std::lock_guard lock(mutex_);
    if (error_ || joined_ || next_ == profiles_.size()) return std::nullopt;
    if (open_.progress) {
      open_.progress(OpeningPhase::reading, static_cast<double>(next_) / static_cast<double>(profiles_.size()));
    }
    return next_++;
  }

  /// A completed run; none where a file of a folder is no profile.
  std::optional<Run> open(uint32_t number) {
    ReadOptions read;
    read.input_format = open_.input_format;
    read.threads = std::max(1U, threads_ / workers_);
    if (open_.progress && workers_ == 1) {
      read.progress = [&](double share) {
        open_.progress(OpeningPhase::reading, (number + share) / static_cast<double>(profiles_.size()));
      };
    }
    std::optional<Run> run;
    try {
      run = read_profile(profiles_[number], read);
    } catch (const Error&) {
      if (!profiles_[number].found) throw;
      return std::nullopt;
    }
    complete_run(*run, open_, dictionary_, read.threads);
    return run;
  }

  void see(uint32_t number, std::vector<std::unique_ptr<Partial>>& kept) {
    std::optional<Run> run = open(number);
    if (!run) return;
    Session alone;
    alone.inputs = open_.inputs;
    alone.runs.push_back(std::move(*run));
    if (is_companion(alone.runs[0])) {
      const std::lock_guard lock(mutex_);
      joined_ = true;
      return;
    }
    {
      const SessionFacts facts(alone);
      const RunInSession in_session{facts, 0, number};
      for (const std::unique_ptr<Partial>& partial : kept) {
        if (partial) partial->update(in_session);
      }
      if (look_) {
        const std::lock_guard lock(look_mutex_);
        look_(in_session);
      }
    }
    let_timeline_go(alone.runs[0]);
    alone.runs[0].number = number;
    runs_[number] = std::move(alone.runs[0]);
  }

  /// Shows the runs whose threads waited for other ranks once more to the tables for which that matters.
  void look_again(const Session& session, const std::vector<uint32_t>& numbers) {
    std::vector<size_t> asking;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (partials_[i] && wanted_[i].analysis->asks_who_waited) asking.push_back(i);
    }
    if (asking.empty()) return;
    const std::vector<std::vector<HostCauses::Wait>> waits = rank_waits(session);
    for (size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].empty()) continue;
      std::optional<Run> run = open(numbers[i]);
      if (!run) continue;
      Session alone;
      alone.runs.push_back(std::move(*run));
      const SessionFacts facts(alone, waits[i]);
      for (const size_t table : asking) partials_[table]->update({facts, 0, numbers[i]});
    }
  }

  const OpenOptions& open_;
  const std::vector<WantedTable>& wanted_;
  const std::function<void(const RunInSession&)>& look_;
  const KernelDictionary dictionary_;
  const std::vector<ProfilePath> profiles_;
  unsigned threads_ = 1;
  unsigned workers_ = 1;

  std::mutex mutex_;  // of these four
  uint32_t next_ = 0;
  bool joined_ = false;
  std::exception_ptr error_;
  std::mutex look_mutex_;

  std::vector<std::optional<Run>> runs_;            // by number; each is written by one thread
  std::vector<std::unique_ptr<Partial>> partials_;  // by wanted table; null for those made of the whole session
};

FoldedSession with_all_open(const OpenOptions& open, const Selection& selection, const std::vector<WantedTable>& wanted,
                            const std::function<void(const RunInSession&)>& look) {
  FoldedSession folded{open_session(open), {}, {}};
  select(folded.session, selection);
  const SessionFacts facts(folded.session);
  for (const WantedTable& table : wanted) folded.tables.push_back(make_table(*table.analysis, facts, table.options));
  for (uint32_t run = 0; run < folded.session.runs.size(); ++run) {
    folded.numbers.push_back(run);
    if (look) look({facts, run, run});
  }
  return folded;
}

/// Sees the ranks one after another; nothing where all have to be open at once.
std::optional<SeenRanks> one_by_one(const OpenOptions& open, const Selection& selection,
                                    const std::vector<WantedTable>& wanted,
                                    const std::function<void(const RunInSession&)>& look) {
  if (!selection.empty()) return std::nullopt;
  std::vector<ProfilePath> profiles = find_profiles(open.inputs);
  double bytes = 0;
  for (const ProfilePath& profile : profiles) bytes += open_bytes(profile);
  const bool needs_all = std::any_of(wanted.begin(), wanted.end(), [&](const WantedTable& table) {
    const bool wants_all = !table.if_open || bytes <= table.open_bytes;
    return table.analysis->events || (table.analysis->needs_all_timelines && wants_all);
  });
  if (needs_all) return std::nullopt;
  const bool has_stdin =  // which cannot be read a second time
      std::any_of(profiles.begin(), profiles.end(), [](const ProfilePath& profile) { return profile.path == "-"; });
  if (profiles.size() < 2 || has_stdin) return std::nullopt;
  RankFold fold(open, wanted, look, std::move(profiles));
  if (!fold.see_all()) return std::nullopt;
  return fold.take();
}

}  // namespace

bool SeenRanks::let_go() const {
  return std::any_of(session->runs.begin(), session->runs.end(), [](const Run& run) { return run.let_go.has_value(); });
}

Table SeenRanks::table_of_whole(const WantedTable& wanted) const {
  if (wanted.analysis->needs_all_timelines && let_go()) return wanted.analysis->empty_table();
  return make_table(*wanted.analysis, *facts, wanted.options);
}

FoldedSession fold_ranks(const OpenOptions& open, const Selection& selection, const std::vector<WantedTable>& wanted,
                         const std::function<void(const RunInSession&)>& look) {
  for (const WantedTable& table : wanted) check_options(table.analysis->name, table.analysis->options, table.options);
  if (auto summary = summary_of(open, selection)) return KeptSession(std::move(*summary), open).take(wanted);
  std::optional<SeenRanks> seen = one_by_one(open, selection, wanted, look);
  if (!seen) return with_all_open(open, selection, wanted, look);
  std::vector<Table> tables;
  for (size_t i = 0; i < wanted.size(); ++i) {
    tables.push_back(seen->partials[i] ? seen->partials[i]->finalize({*seen->facts, seen->numbers})
                                       : seen->table_of_whole(wanted[i]));
  }
  seen->facts.reset();
  return {std::move(*seen->session), std::move(tables), std::move(seen->numbers)};
}

SeenRanks see_ranks(const OpenOptions& open, const Selection& selection, const std::vector<WantedTable>& wanted,
                    const std::function<void(const RunInSession&)>& look) {
  if (std::optional<SeenRanks> seen = one_by_one(open, selection, wanted, look)) return std::move(*seen);
  SeenRanks seen;
  seen.session = std::make_unique<Session>(open_session(open));
  select(*seen.session, selection);
  seen.facts = std::make_unique<SessionFacts>(*seen.session);
  for (const WantedTable& table : wanted) {
    seen.partials.push_back(table.analysis->fold ? table.analysis->fold(*table.analysis, table.options) : nullptr);
  }
  for (uint32_t run = 0; run < seen.session->runs.size(); ++run) {
    seen.numbers.push_back(run);
    const RunInSession in_session{*seen.facts, run, run};
    look(in_session);
    for (const std::unique_ptr<Partial>& partial : seen.partials) {
      if (partial) partial->update(in_session);
    }
  }
  return seen;
}

}  // namespace cgpu
