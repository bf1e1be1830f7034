#include "session/opened_profile.h"

#include <algorithm>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/events/choose_rows.h"
#include "analysis/profile/profile_counts.h"
#include "analysis/table_list.h"
#include "base/error.h"
#include "session/chosen_events.h"
#include "session/rank_fold.h"
#include "session/summary.h"

namespace cgpu {

namespace {

/// Without runs for a summary, which has to be one that can be read.
Session opened(const InputOptions& options, OpeningProgress progress, LossWarning warn) {
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

struct OpenedProfile::Opened {
  Opened(InputOptions input_options, OpeningProgress progress, LossWarning warn)
      : options(std::move(input_options)), session(opened(options, std::move(progress), std::move(warn))) {
    if (!session.runs.empty()) facts.emplace(session);
  }

  const InputOptions options;
  const Session session;              // without runs for a summary, which is read for each table
  std::optional<SessionFacts> facts;  // not for a summary
};

OpenedProfile::OpenedProfile(InputOptions options, OpeningProgress progress, LossWarning warn)
    : opened_(std::make_shared<const Opened>(std::move(options), std::move(progress), std::move(warn))) {}

const InputOptions& OpenedProfile::options() const {
  return opened_->options;
}

bool OpenedProfile::is_summary() const {
  return !opened_->facts;
}

const SessionFacts& OpenedProfile::facts(const std::string& what) const {
  if (is_summary()) {
    throw Error(options().inputs.front(), "is a summary of a run, without a timeline: " + what + " needs the profile");
  }
  return *opened_->facts;
}

Table OpenedProfile::tables() const {
  if (is_summary()) {
    const Summary summary = read_summary(options().inputs.front());
    return list_of_tables(declared_tables([&](const Analysis& analysis) {
      return summary.partials.contains(analysis.name) ||
             std::any_of(summary.tables.begin(), summary.tables.end(),
                         [&](const Table& table) { return table.name == analysis.name && !table.empty(); });
    }));
  }
  const ProfileCounts counts(*opened_->facts);
  return list_of_tables(declared_tables(
      [&](const Analysis& analysis) { return analysis.applies == nullptr || analysis.applies(counts); }));
}

Table OpenedProfile::table(const std::string& name, const TableOptions& options, const RowChoice& choice) const {
  return table(find_analysis(name), options, choice);
}

Table OpenedProfile::table(const Analysis& analysis, const TableOptions& options, const RowChoice& choice) const {
  if (analysis.events != nullptr) {
    check_options(analysis.name, analysis.options, options);
    return chosen_rows(analysis, *analysis.events(analysis, facts("table " + analysis.name), options), choice);
  }
  Table table = is_summary() ? std::move(fold_ranks(this->options().open(), {}, {{&analysis, options}}).tables.front())
                             : make_table(analysis, *opened_->facts, options);
  choice.apply(table);
  return table;
}

BatchedTable OpenedProfile::read(const std::string& name, const TableOptions& options, RowChoice choice) const {
  const Analysis& analysis = find_analysis(name);
  if (analysis.events == nullptr) {
    auto whole = std::make_shared<const Table>(table(analysis, options, choice));
    Table declared = *whole;
    declared.clear_rows();
    return {std::move(declared), batches_of(std::move(whole))};
  }
  check_options(analysis.name, analysis.options, options);
  const auto events = std::make_shared<const ChosenEvents>(*this, analysis, options, std::move(choice));
  return {events->declared(), events->read()};
}

}  // namespace cgpu
