#include "session/ranks/rank_fold.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "analysis/ranks/rank_waits.h"
#include "base/allocator.h"
#include "base/error.h"
#include "base/threads.h"
#include "links/clocks.h"
#include "session/ranks/exchange.h"
#include "session/ranks/rank_sizes.h"
#include "session/ranks/rank_worker.h"
#include "session/selection/selected_runs.h"
#include "session/summaries/summary.h"
#include "session/summaries/summary_session.h"

namespace cgpu {

namespace {

/// A process among several of its machine has its share of the processors.
unsigned threads_of(const OpenOptions& open) {
  return thread_count(open.threads == 0 && open.exchange != nullptr ? open.exchange->threads() : open.threads);
}

class RankFold {
 public:
  RankFold(const OpenOptions& open, const Selection& selection, const std::vector<WantedTable>& wanted,
           RunCollector* collector, std::vector<ProfilePath> profiles)
      : open_(open),
        selection_(selection),
        wanted_(wanted),
        collector_(collector),
        profiles_(std::move(profiles)),
        exchange_(open.exchange != nullptr && open.exchange->workers() > 0 ? open.exchange : nullptr),
        threads_(threads_of(open)),
        concurrency_(concurrency()),
        opening_(opening_options()),
        opener_(opening_, std::max(1U, threads_ / concurrency_)),
        runs_(profiles_.size()) {}

  /// Nothing where the profiles have to be opened together after all.
  std::optional<ProcessedRanks> process_all() {
    const bool once = selection_.empty();
    RankPass pass;
    if (once) pass.wanted = wanted_;
    if (once) pass.collector = collector_;
    pass.selects_ranks = !selection_.ranks.empty();
    std::vector<RankTask> tasks;
    for (const uint32_t number : largest_first(profiles_)) tasks.push_back({number, profiles_[number]});
    Partials partials = process_tasks(tasks, pass);
    if (is_joined_) return std::nullopt;
    ProcessedRanks seen = put_together();
    if (once) {
      second_pass(*seen.session, partials);
    } else {
      partials = process_selected(*seen.session);
    }
    for (const Run& run : seen.session->runs) seen.numbers.push_back(run.number);
    seen.facts = std::make_unique<SessionFacts>(*seen.session);
    seen.partials = std::move(partials);
    return seen;
  }

 private:
  /// How many ranks this process opens at once.
  unsigned concurrency() const {
    if (exchange_ != nullptr) return 1;
    return std::min(concurrent_ranks(profiles_, open_, threads_), static_cast<unsigned>(profiles_.size()));
  }

  /// Warnings come from one thread at a time, and once, however often a rank is opened.
  OpenOptions opening_options() {
    OpenOptions opening = open_;
    if (open_.warn) {
      opening.warn = [this](const std::string& line) {
        const std::lock_guard lock(mutex_);
        if (pass_ == 0) open_.warn(line);
      };
    }
    return opening;
  }

  /// Has the tasks done, by threads of this process and by its workers.
  Partials process_tasks(const std::vector<RankTask>& tasks, const RankPass& pass) {
    const auto see = [&](uint32_t i, Partials& partials) {
      keep(tasks[i].number, opener_.process(tasks[i], pass, partials, progress()));
    };
    if (exchange_ == nullptr) return process_each(static_cast<uint32_t>(tasks.size()), pass.wanted, see);
    std::vector<uint32_t> returned;
    Partials partials = process_each(static_cast<uint32_t>(tasks.size()), pass.wanted, see,
                                     [&](Partials& of_workers) { deal(tasks, pass, of_workers, returned); });
    for (const uint32_t i : returned) see(i, partials);
    return partials;
  }

  /// Has workers do tasks for as long as there are some; those whose runs they cannot send come back.
  void deal(const std::vector<RankTask>& tasks, const RankPass& pass, Partials& partials,
            std::vector<uint32_t>& returned) {
    const auto next_task = [&]() -> std::optional<Exchange::Task> {
      if (!returned.empty()) return std::nullopt;  // the other files are probably no better
      const std::optional<uint32_t> i = next();
      if (!i) return std::nullopt;
      return Exchange::Task{*i, tasks[*i].profile.path, task_to_bytes(tasks[*i])};
    };
    const auto take_answer = [&](uint32_t i, const std::string& bytes) {
      RankAnswer answer = answer_from_bytes(bytes, pass, tasks[i]);
      if (opening_.warn) std::for_each(answer.warnings.begin(), answer.warnings.end(), opening_.warn);
      if (!answer.error.empty()) throw Error(answer.error);
      if (!answer.seen) return returned.push_back(i);
      if (pass.collector != nullptr && answer.seen->outcome == RankOutcome::processed) {
        opener_.collect(pass, tasks[i].number, answer.collected);
      }
      combine(partials, std::move(answer.partials));
      keep(tasks[i].number, std::move(*answer.seen));
    };
    exchange_->deal(job_to_bytes(open_, pass), next_task,
                    [&](uint32_t i, const std::string& bytes) { capture_error([&] { take_answer(i, bytes); }); });
  }

  void keep(uint32_t number, ProcessedRank seen) {
    const std::lock_guard lock(mutex_);
    is_joined_ = is_joined_ || seen.outcome == RankOutcome::needs_others;
    if (seen.run) runs_[number] = std::move(seen.run);
  }

  /// Now that it is known of every rank what others must know, those that are selected are opened once more.
  Partials process_selected(Session& session) {
    SelectedRuns selected(session, selection_);
    const std::vector<HostCauses::Waits> waits = rank_waits(session);
    std::vector<std::optional<Run>> parts(session.runs.size());
    RankPass pass;
    pass.wanted = wanted_;
    pass.collector = collector_;
    pass_ = 1;
    Partials partials =
        process_each(static_cast<uint32_t>(parts.size()), wanted_, [&](uint32_t index, Partials& of_thread) {
          const uint32_t number = session.runs[index].number;
          const OpenFile file(open_.exchange, profiles_[number].path);
          std::optional<Run> again = opener_.open(profiles_[number], progress());
          if (!again) throw Error(profiles_[number].path, "has changed while it was read");
          const RankTask task{number, profiles_[number], waits[index]};
          parts[index] = opener_.update_tables(selected.select_in(index, std::move(*again)), task, pass, of_thread).run;
        });
    for (size_t i = 0; i < parts.size(); ++i) session.runs[i] = std::move(*parts[i]);
    selected.finish(session);
    return partials;
  }

  /// Shows the runs whose threads waited for other ranks once more to the tables for which that matters.
  void second_pass(const Session& session, Partials& partials) {
    RankPass pass;
    pass.keeps_runs = false;
    std::vector<size_t> asking;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (!partials[i] || !wanted_[i].analysis->asks_who_waited) continue;
      asking.push_back(i);
      pass.wanted.push_back(wanted_[i]);
    }
    if (asking.empty()) return;
    const std::vector<HostCauses::Waits> waits = rank_waits(session);
    std::vector<RankTask> tasks;
    for (size_t i = 0; i < waits.size(); ++i) {
      const uint32_t number = session.runs[i].number;
      if (!waits[i].empty()) tasks.push_back({number, profiles_[number], waits[i]});
    }
    if (tasks.empty()) return;
    pass_ = 1;
    Partials again = process_tasks(tasks, pass);
    for (size_t i = 0; i < asking.size(); ++i) {
      again[i]->combine(std::move(*partials[asking[i]]));
      partials[asking[i]] = std::move(again[i]);
    }
  }

  /// Calls task(i, partial results of the thread) for each i < count. `deal`, if given, is called on this thread, with
  /// partial results of its own.
  template <typename Task>
  Partials process_each(uint32_t count, const std::vector<WantedTable>& wanted, const Task& task,
                        const std::function<void(Partials&)>& deal = nullptr) {
    next_ = 0;
    count_ = count;
    const unsigned dealers = deal ? 1 : 0;
    std::vector<Partials> kept(dealers + concurrency_);
    on_threads(dealers + concurrency_, [&](unsigned thread) {
      kept[thread] = new_partials(wanted);
      capture_error([&] {
        if (thread < dealers) return deal(kept[thread]);
        while (const auto i = next()) task(*i, kept[thread]);
      });
    });
    if (error_) std::rethrow_exception(error_);
    for (size_t thread = 1; thread < kept.size() && !kept[thread].empty(); ++thread) {
      combine(kept[0], std::move(kept[thread]));
    }
    return std::move(kept[0]);
  }

  /// Keeps the first exception, after which nothing more is begun.
  template <typename Work>
  void capture_error(const Work& work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  /// Puts the ranks in order and their clocks together.
  ProcessedRanks put_together() {
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
    ProcessedRanks seen;
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
    const double pass = selection_.empty() ? 0 : pass_;
    if (open_.progress) open_.progress(OpeningPhase::reading, (pass + done / std::max(count_, 1U)) / passes);
  }

  /// Of the rank that is being opened, where that is one at a time.
  std::function<void(double)> progress() {
    if (!open_.progress || concurrency_ > 1 || exchange_ != nullptr) return nullptr;
    return [this](double share) { tell_progress(next_ - 1 + share); };
  }

  const OpenOptions& open_;
  const Selection& selection_;
  const std::vector<WantedTable>& wanted_;
  RunCollector* const collector_;
  const std::vector<ProfilePath> profiles_;
  Exchange* const exchange_;  // null where there are no workers
  const unsigned threads_;
  const unsigned concurrency_;
  const OpenOptions opening_;
  const RankOpener opener_;
  unsigned pass_ = 0;
  uint32_t count_ = 0;  // of what is to be seen in this pass

  std::mutex mutex_;  // of these four
  uint32_t next_ = 0;
  bool is_joined_ = false;  // they have to be open together
  std::exception_ptr error_;
  std::vector<std::optional<Run>> runs_;  // by number
};

Session open_all(const OpenOptions& open, const Selection& selection) {
  Session session = open_selected(open, selection);
  return_freed_memory();
  return session;
}

FoldedSession with_all_open(const OpenOptions& open, const Selection& selection, const std::vector<WantedTable>& wanted,
                            RunCollector* collector) {
  FoldedSession folded{open_all(open, selection), {}, {}};
  const SessionFacts facts(folded.session);
  std::vector<std::optional<Table>> tables(wanted.size());
  for_each_or_throw(threads_of(open), wanted.size(),
                    [&](size_t i) { tables[i] = make_table(*wanted[i].analysis, facts, wanted[i].options); });
  for (std::optional<Table>& table : tables) folded.tables.push_back(std::move(*table));
  for (uint32_t run = 0; run < folded.session.runs.size(); ++run) {
    folded.numbers.push_back(run);
    if (collector != nullptr) collector->collect({facts, run, run});
  }
  return folded;
}

/// Sees the ranks one after another; nothing where all have to be open at once.
std::optional<ProcessedRanks> one_by_one(const OpenOptions& open, const Selection& selection,
                                         const std::vector<WantedTable>& wanted, RunCollector* collector) {
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
  return RankFold(open, selection, wanted, collector, std::move(profiles)).process_all();
}

}  // namespace

bool ProcessedRanks::has_released_timelines() const {
  return std::any_of(session->runs.begin(), session->runs.end(),
                     [](const Run& run) { return run.released_totals.has_value(); });
}

Table ProcessedRanks::table_of_whole(const WantedTable& wanted) const {
  if (wanted.analysis->needs_all_timelines && has_released_timelines()) return wanted.analysis->empty_table();
  return make_table(*wanted.analysis, *facts, wanted.options);
}

namespace {

/// Where among the wanted tables that one is, without options.
std::optional<size_t> place_of(const std::string& name, const std::vector<WantedTable>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].analysis->name == name && wanted[i].options.all().empty()) return i;
  }
  return {};
}

}  // namespace

void add_sources(const Analysis& analysis, std::vector<WantedTable>& wanted) {
  for (const std::string& name : analysis.without_timelines->tables) {
    if (!place_of(name, wanted)) wanted.push_back({&find_analysis(name)});
  }
}

std::optional<Table> made_of_sources(const Analysis& analysis, const SessionFacts& facts,
                                     const std::vector<WantedTable>& wanted, const std::vector<Table>& tables) {
  std::vector<const Table*> sources;
  for (const std::string& name : analysis.without_timelines->tables) {
    const std::optional<size_t> place = place_of(name, wanted);
    if (!place) return {};
    sources.push_back(&tables[*place]);
  }
  return analysis.without_timelines->make(analysis, facts, sources);
}

FoldedSession fold_ranks(const OpenOptions& open, const Selection& selection, const std::vector<WantedTable>& wanted,
                         RunCollector* collector) {
  for (const WantedTable& table : wanted) check_options(table.analysis->name, table.analysis->options, table.options);
  if (auto summary = summary_of(open, selection)) {
    return SummarySession(std::move(*summary), open, selection.ranks).take(wanted);
  }
  std::optional<ProcessedRanks> seen = one_by_one(open, selection, wanted, collector);
  if (!seen) return with_all_open(open, selection, wanted, collector);
  std::vector<Table> tables;
  for (size_t i = 0; i < wanted.size(); ++i) {
    tables.push_back(seen->partials[i] ? seen->partials[i]->finalize({*seen->facts, seen->numbers})
                                       : seen->table_of_whole(wanted[i]));
  }
  for (size_t i = 0; i < wanted.size() && seen->has_released_timelines(); ++i) {
    if (!wanted[i].analysis->without_timelines) continue;
    if (auto table = made_of_sources(*wanted[i].analysis, *seen->facts, wanted, tables)) tables[i] = std::move(*table);
  }
  seen->facts.reset();
  return {std::move(*seen->session), std::move(tables), std::move(seen->numbers)};
}

ProcessedRanks process_ranks(const OpenOptions& open, const Selection& selection,
                             const std::vector<WantedTable>& wanted, RunCollector* collector) {
  if (std::optional<ProcessedRanks> seen = one_by_one(open, selection, wanted, collector)) return std::move(*seen);
  ProcessedRanks seen;
  seen.session = std::make_unique<Session>(open_all(open, selection));
  seen.facts = std::make_unique<SessionFacts>(*seen.session);
  seen.partials = new_partials(wanted);
  for (uint32_t run = 0; run < seen.session->runs.size(); ++run) {
    seen.numbers.push_back(run);
    const RunInSession in_session{*seen.facts, run, run};
    collector->collect(in_session);
    for (const std::unique_ptr<Partial>& partial : seen.partials) {
      if (partial) partial->update(in_session);
    }
  }
  return seen;
}

}  // namespace cgpu
