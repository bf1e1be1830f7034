#include "session/ranks/rank_fold.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "analysis/ranks/rank_waits.h"
#include "base/error.h"
#include "base/threads.h"
#include "links/clocks.h"
#include "session/complete_run.h"
#include "session/ranks/exchange.h"
#include "session/ranks/rank_sizes.h"
#include "session/ranks/rank_worker.h"
#include "session/selection/selected_runs.h"

namespace cgpu {

namespace {

class RankFold {
 public:
  RankFold(const ProfileSource& source, const std::vector<WantedTable>& wanted, RunCollector* collector)
      : open_(source.options()),
        selection_(source.selection()),
        wanted_(wanted),
        collector_(collector),
        profiles_(source.profiles()),
        exchange_(open_.exchange != nullptr && open_.exchange->workers() > 0 ? open_.exchange : nullptr),
        threads_(threads_of(open_)),
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
      if (!partials[i] || wanted_[i].analysis->made_of != MadeOf::runs_and_waits) continue;
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
  const std::vector<ProfilePath>& profiles_;
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

}  // namespace

bool ProcessedRanks::has_released_timelines() const {
  return std::any_of(session->runs.begin(), session->runs.end(),
                     [](const Run& run) { return run.released_totals.has_value(); });
}

Table ProcessedRanks::table_of_whole(const WantedTable& wanted) const {
  if (wanted.analysis->made_of == MadeOf::all_timelines && has_released_timelines())
    return wanted.analysis->empty_table();
  return make_table(*wanted.analysis, *facts, wanted.options);
}

std::optional<ProcessedRanks> fold_ranks(const ProfileSource& source, const std::vector<WantedTable>& wanted,
                                         RunCollector* collector) {
  const Selection& selection = source.selection();
  const std::vector<ProfilePath>& profiles = source.profiles();
  if (profiles.size() < 2 || source.has_stdin() || !SelectedRuns::can_select(selection)) return std::nullopt;
  double bytes = 0;
  for (const ProfilePath& profile : profiles) bytes += open_bytes(profile);
  const bool needs_all = std::any_of(wanted.begin(), wanted.end(), [&](const WantedTable& table) {
    // A part says what it can.
    const bool wants_all = !table.most_open_bytes || !selection.empty() || bytes <= *table.most_open_bytes;
    return table.analysis->events || (table.analysis->made_of == MadeOf::all_timelines && wants_all);
  });
  if (needs_all || (!selection.empty() && fit_together(profiles, source.options(), selection.ranks))) {
    return std::nullopt;
  }
  return RankFold(source, wanted, collector).process_all();
}

}  // namespace cgpu
