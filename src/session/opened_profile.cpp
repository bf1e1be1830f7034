#include "session/opened_profile.h"

#include <utility>

#include "analysis/profile/profile_counts.h"
#include "analysis/table_list.h"
#include "base/error.h"
#include "session/summary.h"

namespace cgpu {

namespace {

OpenOptions opening(const InputOptions& options, decltype(OpenOptions::progress) progress,
                    decltype(OpenOptions::warn) warn) {
  OpenOptions open = options.open();
  open.progress = std::move(progress);
  open.warn = std::move(warn);
  return open;
}

std::unique_ptr<const KeptSession> kept_session(const OpenOptions& open, const Selection& selection) {
  auto summary = summary_of(open, selection);
  return summary ? std::make_unique<const KeptSession>(std::move(*summary), open) : nullptr;
}

Session opened(const OpenOptions& open, const Selection& selection) {
  Session session = open_session(open);
  select(session, selection);
  return session;
}

}  // namespace

OpenedProfile::OpenedProfile(InputOptions options, decltype(OpenOptions::progress) progress,
                             decltype(OpenOptions::warn) warn)
    : OpenedProfile(options, opening(options, std::move(progress), std::move(warn))) {}

OpenedProfile::OpenedProfile(InputOptions options, const OpenOptions& open)
    : options_(std::move(options)),
      kept_(kept_session(open, options_.selection())),
      session_(kept_ ? Session() : opened(open, options_.selection())) {
  if (!kept_) facts_.emplace(session_);
}

const SessionFacts& OpenedProfile::facts(const std::string& what) const {
  if (!facts_) {
    throw Error(options_.inputs.front(), "is a summary of a run, without a timeline: " + what + " needs the profile");
  }
  return *facts_;
}

Table OpenedProfile::tables() const {
  if (!facts_) {
    return list_of_tables(declared_tables([&](const Analysis& analysis) { return kept_->has_rows(analysis); }));
  }
  const ProfileCounts counts(*facts_);
  return list_of_tables(declared_tables(
      [&](const Analysis& analysis) { return analysis.applies == nullptr || analysis.applies(counts); }));
}

Table OpenedProfile::table(const Analysis& analysis, const TableOptions& options, const RowChoice& choice) const {
  Table table =
      kept_ ? std::move(kept_->tables({{&analysis, options}}).front()) : make_table(analysis, *facts_, options);
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
