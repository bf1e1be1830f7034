#include "session/opened_profile.h"

#include <algorithm>
#include <utility>

#include "analysis/profile/profile_counts.h"
#include "analysis/table_list.h"
#include "base/error.h"
#include "session/rank_fold.h"
#include "session/summary.h"

namespace cgpu {

namespace {

/// Without runs for a summary, which has to be one that can be read.
Session opened(const InputOptions& options, decltype(OpenOptions::progress) progress,
               decltype(OpenOptions::warn) warn) {
  OpenOptions open = options.open();
  const Selection selection = options.selection();
  if (summary_of(open, selection)) return {};
  open.progress = std::move(progress);
  open.warn = std::move(warn);
  Session session = open_session(open);
  select(session, selection);
  return session;
}

}  // namespace

OpenedProfile::OpenedProfile(InputOptions options, decltype(OpenOptions::progress) progress,
                             decltype(OpenOptions::warn) warn)
    : options_(std::move(options)), session_(opened(options_, std::move(progress), std::move(warn))) {
  if (!session_.runs.empty()) facts_.emplace(session_);
}

const SessionFacts& OpenedProfile::facts(const std::string& what) const {
  if (!facts_) {
    throw Error(options_.inputs.front(), "is a summary of a run, without a timeline: " + what + " needs the profile");
  }
  return *facts_;
}

Table OpenedProfile::tables() const {
  if (!facts_) {
    const Summary summary = read_summary(options_.inputs.front());
    return list_of_tables(declared_tables([&](const Analysis& analysis) {
      return summary.partials.contains(analysis.name) ||
             std::any_of(summary.tables.begin(), summary.tables.end(),
                         [&](const Table& table) { return table.name == analysis.name && !table.empty(); });
    }));
  }
  const ProfileCounts counts(*facts_);
  return list_of_tables(declared_tables(
      [&](const Analysis& analysis) { return analysis.applies == nullptr || analysis.applies(counts); }));
}

Table OpenedProfile::table(const Analysis& analysis, const TableOptions& options, const RowChoice& choice) const {
  Table table = facts_ ? make_table(analysis, *facts_, options)
                       : std::move(fold_ranks(options_.open(), {}, {{&analysis, options}}).tables.front());
  choice.where.apply(table);
  if (!choice.sort.empty()) sort_rows(table, choice.sort);
  take_top(table, choice.top);
  return table;
}

ChosenEvents::ChosenEvents(std::shared_ptr<const OpenedProfile> profile, const Analysis& analysis,
                           const TableOptions& options, RowChoice choice)
    : profile_(std::move(profile)),
      analysis_(analysis),
      choice_(std::move(choice)),
      events_(analysis.events(analysis, profile_->facts("table " + analysis.name), options)),
      declared_(ChosenRows(analysis, *events_, choice_).declared()) {}

size_t ChosenEvents::row_count() const {
  const std::lock_guard lock(mutex_);
  if (!row_count_) {
    row_count_ = count_rows(analysis_, *events_, choice_.where);
    if (choice_.top != 0) row_count_ = std::min(*row_count_, choice_.top);
  }
  return *row_count_;
}

std::function<std::optional<Table>()> ChosenEvents::read(size_t most) const {
  RowChoice choice = choice_;
  if (most != 0) choice.top = choice.top == 0 ? most : std::min(most, choice.top);
  return [kept = shared_from_this(), rows = std::make_shared<ChosenRows>(analysis_, *events_, std::move(choice))] {
    const std::lock_guard lock(kept->mutex_);
    return rows->next();
  };
}

}  // namespace cgpu
