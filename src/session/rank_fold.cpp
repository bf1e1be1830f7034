#include "session/rank_fold.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/ranks/rank_waits.h"
#include "base/error.h"
#include "base/threads.h"
#include "links/clocks.h"
#include "session/kept_session.h"
#include "session/let_go.h"
#include "session/selected_runs.h"
#include "session/summary.h"

namespace cgpu {

namespace {

/// A rank needs at most about this many times the bytes of its file while it is open: a compressed one swells.
constexpr double kOpenBytesOfPlainByte = 1.0;
constexpr double kOpenBytesOfCompressedByte = 12.0;
/// The share of the memory that is available that open ranks may take.
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

/// The bytes that open ranks may take.
double most_open_bytes(const OpenOptions& open) {
  if (open.memory > 0) return open.memory;
  constexpr std::string_view kAvailable = "MemAvailable:";  // in kB: free, and what the system only keeps to be quick
  std::ifstream information("/proc/meminfo");
  for (std::string line; std::getline(information, line);) {
    if (!line.starts_with(kAvailable)) continue;
    return kShareOfMemory * 1024 * std::strtod(line.c_str() + kAvailable.size(), nullptr);
  }
  return 0;
}

/// How many ranks to open at once.
unsigned ranks_at_once(const std::vector<ProfilePath>& profiles, const OpenOptions& open, unsigned threads) {
  double largest = 1;
  for (const ProfilePath& profile : profiles) largest = std::max(largest, open_bytes(profile));
  return static_cast<unsigned>(std::clamp(most_open_bytes(open) / largest, 1.0, static_cast<double>(threads)));
}

/// Whether as many ranks may be open together as are selected, and one more, which is let go.
bool fit_together(const std::vector<ProfilePath>& profiles, const OpenOptions& open, const NumberList& ranks) {
  std::vector<double> sizes;
  for (const ProfilePath& profile : profiles) sizes.push_back(open_bytes(profile));
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  if (!ranks.empty()) sizes.resize(std::min(sizes.size(), ranks.count(sizes.size()) + 1));
  return std::accumulate(sizes.begin(), sizes.end(), 0.0) <= most_open_bytes(open);
}

class RankFold {
 public:
  RankFold(const OpenOptions& open, const Selection& selection, const std::vector<WantedTable>& wanted,
           const std::function<void(const RunInSession&)>& look, std::vector<ProfilePath> profiles)
      : open_(open),
        selection_(selection),
        wanted_(wanted),
        look_(look),
        dictionary_(dictionary_of(open)),
        profiles_(std::move(profiles)),
        runs_(profiles_.size()) {
    threads_ = thread_count(open.threads);
    workers_ = std::min(ranks_at_once(profiles_, open, threads_), static_cast<unsigned>(profiles_.size()));
  }

  /// Nothing where the profiles have to be opened together after all.
  std::optional<SeenRanks> see_all() {
    const bool once = selection_.empty();
    see_each(static_cast<uint32_t>(profiles_.size()),
             [&](uint32_t number, Partials& partials) { see(number, once ? &partials : nullptr); });
    if (is_joined_) return std::nullopt;
    SeenRanks seen = put_together();
    if (once) {
      look_again(*seen.session);
    } else {
      see_selected(*seen.session);
    }
    for (const Run& run : seen.session->runs) seen.numbers.push_back(run.number);
    seen.facts = std::make_unique<SessionFacts>(*seen.session);
    seen.partials = std::move(partials_);
    return seen;
  }

 private:
  using Partials = std::vector<std::unique_ptr<Partial>>;

  /// Now that it is known of every rank what others must know, those that are selected are opened once more.
  void see_selected(Session& session) {
    SelectedRuns selected(session, selection_);
    const std::vector<std::vector<HostCauses::Wait>> waits = rank_waits(session);
    std::vector<std::optional<Run>> parts(session.runs.size());
    pass_ = 1;
    see_each(static_cast<uint32_t>(parts.size()), [&](uint32_t index, Partials& partials) {
      const uint32_t number = session.runs[index].number;
      std::optional<Run> again = open(number);
      if (!again) throw Error(profiles_[number].path, "has changed while it was read");
      parts[index] = let_go(selected.select_in(index, std::move(*again)), number, waits[index], &partials);
    });
    for (size_t i = 0; i < parts.size(); ++i) session.runs[i] = std::move(*parts[i]);
    selected.finish(session);
  }

  /// Calls task(i, partial results of the thread) for each i < count.
  template <typename Task>
  void see_each(uint32_t count, const Task& task) {
    next_ = 0;
    count_ = count;
    std::vector<Partials> kept(workers_);
    on_threads(workers_, [&](unsigned worker) {
      for (const WantedTable& table : wanted_) {
        kept[worker].push_back(table.analysis->fold ? table.analysis->fold(*table.analysis, table.options) : nullptr);
      }
      try {
        while (const auto i = next()) task(*i, kept[worker]);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
      }
    });
    if (error_) std::rethrow_exception(error_);
    partials_ = std::move(kept[0]);
    for (unsigned worker = 1; worker < workers_ && !kept[worker].empty(); ++worker) {
      for (size_t i = 0; i < partials_.size(); ++i) {
        if (partials_[i]) partials_[i]->combine(std::move(*kept[worker][i]));
      }
    }
  }

  /// Puts the ranks in order and their clocks together.
  SeenRanks put_together() {
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
    return seen;
  }

  std::optional<uint32_t> next() {
    const std::lock_guard lock(mutex_);
    if (error_ || is_joined_ || next_ == count_) return std::nullopt;
    tell_progress(next_);
    return next_++;
  }

  /// `done`: ranks of this pass.
  void tell_progress(double done) {
    const double passes = selection_.empty() ? 1 : 2;
    if (open_.progress) open_.progress(OpeningPhase::reading, (pass_ + done / std::max(count_, 1U)) / passes);
  }

  /// A completed run; none where a file of a folder is no profile.
  std::optional<Run> open(uint32_t number) {
    ReadOptions read = read_options(open_);
    if (read.left_out) {
      read.left_out = [&, warn = read.left_out](const std::string& why) {
        const std::lock_guard lock(mutex_);
        if (pass_ == 0) warn(why);
      };
    }
    read.threads = std::max(1U, threads_ / workers_);
    if (open_.progress && workers_ == 1) {
      read.progress = [&](double share) { tell_progress(next_ - 1 + share); };
    }
    std::optional<Run> run = read_if_profile(profiles_[number], read);
    if (!run) return std::nullopt;
    complete_run(*run, open_, dictionary_, read.threads);
    return run;
  }

  void see(uint32_t number, Partials* partials) {
    std::optional<Run> run = open(number);
    if (!run) return;
    Session alone;
    alone.inputs = open_.inputs;
    alone.runs.push_back(std::move(*run));
    const bool is_cut_inside = !selection_.ranks.empty() && SelectedRuns::is_of_several_ranks(alone.runs[0]);
    if (is_companion(alone.runs[0]) || is_cut_inside) {
      const std::lock_guard lock(mutex_);
      is_joined_ = true;
      return;
    }
    runs_[number] = let_go(std::move(alone), number, {}, partials);
  }

  /// Shows a run to the tables, if there are any, and lets its timeline go.
  Run let_go(Session alone, uint32_t number, std::vector<HostCauses::Wait> waits, Partials* partials) {
    if (partials != nullptr) {
      const SessionFacts facts(alone, std::move(waits));
      const RunInSession in_session{facts, 0, number};
      for (const std::unique_ptr<Partial>& partial : *partials) {
        if (partial) partial->update(in_session);
      }
      if (look_) {
        const std::lock_guard lock(look_mutex_);
        look_(in_session);
      }
    }
    let_timeline_go(alone.runs[0]);
    alone.runs[0].number = number;
    return std::move(alone.runs[0]);
  }

  /// Shows the runs whose threads waited for other ranks once more to the tables for which that matters.
  void look_again(const Session& session) {
    std::vector<size_t> asking;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (partials_[i] && wanted_[i].analysis->asks_who_waited) asking.push_back(i);
    }
    if (asking.empty()) return;
    const std::vector<std::vector<HostCauses::Wait>> waits = rank_waits(session);
    for (size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].empty()) continue;
      const uint32_t number = session.runs[i].number;
      std::optional<Run> run = open(number);
      if (!run) continue;
      Session alone;
      alone.runs.push_back(std::move(*run));
      const SessionFacts facts(alone, waits[i]);
      for (const size_t table : asking) partials_[table]->update({facts, 0, number});
    }
  }

  const OpenOptions& open_;
  const Selection& selection_;
  const std::vector<WantedTable>& wanted_;
  const std::function<void(const RunInSession&)>& look_;
  const KernelDictionary dictionary_;
  const std::vector<ProfilePath> profiles_;
  unsigned threads_ = 1;
  unsigned workers_ = 1;
  unsigned pass_ = 0;
  uint32_t count_ = 0;  // of what is to be seen in this pass

  std::mutex mutex_;  // of these four
  uint32_t next_ = 0;
  bool is_joined_ = false;  // they have to be open together
  std::exception_ptr error_;
  std::mutex look_mutex_;

  std::vector<std::optional<Run>> runs_;  // by number; each is written by one thread
  Partials partials_;                     // by wanted table; null for those made of the whole session
};

FoldedSession with_all_open(const OpenOptions& open, const Selection& selection, const std::vector<WantedTable>& wanted,
                            const std::function<void(const RunInSession&)>& look) {
  FoldedSession folded{open_selected(open, selection), {}, {}};
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
  if (!SelectedRuns::can_select(selection)) return std::nullopt;
  std::vector<ProfilePath> profiles = find_profiles(open.inputs);
  double bytes = 0;
  for (const ProfilePath& profile : profiles) bytes += open_bytes(profile);
  const bool needs_all = std::any_of(wanted.begin(), wanted.end(), [&](const WantedTable& table) {
    // A part says what it can.
    const bool wants_all = !table.if_open || !selection.empty() || bytes <= table.open_bytes;
    return table.analysis->events || (table.analysis->needs_all_timelines && wants_all);
  });
  if (needs_all) return std::nullopt;
  const bool has_stdin =  // which cannot be read a second time
      std::any_of(profiles.begin(), profiles.end(), [](const ProfilePath& profile) { return profile.path == "-"; });
  if (profiles.size() < 2 || has_stdin) return std::nullopt;
  if (!selection.empty() && fit_together(profiles, open, selection.ranks)) return std::nullopt;
  return RankFold(open, selection, wanted, look, std::move(profiles)).see_all();
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
  if (auto summary = summary_of(open, selection)) {
    return KeptSession(std::move(*summary), open, selection.ranks).take(wanted);
  }
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
  seen.session = std::make_unique<Session>(open_selected(open, selection));
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
