#include "session/opened_profile.h"

#include <utility>

#include "analysis/analysis.h"
#include "analysis/events/choose_rows.h"
#include "analysis/profile/profile_counts.h"
#include "analysis/table_list.h"
#include "base/error.h"
#include "session/profile_source.h"
#include "session/selection/chosen_events.h"
#include "session/summaries/summary_session.h"

namespace cgpu {

namespace {

ProfileSource source_of(const InputOptions& options, OpeningProgress progress, LossWarning warn) {
  OpenOptions open = options.open();
  open.progress = std::move(progress);
  open.warn = std::move(warn);
  return ProfileSource(std::move(open), options.selection());
}

}  // namespace

struct OpenedProfile::Opened {
  Opened(InputOptions input_options, const ProfileSource& source)
      : options(std::move(input_options)), summary(source.summary()), session(summary ? Session() : source.open()) {
    if (!summary) facts.emplace(session);
  }

  const InputOptions options;
  const std::shared_ptr<const SummarySession> summary;
  const Session session;  // of profiles
  std::optional<SessionFacts> facts;
};

OpenedProfile::OpenedProfile(InputOptions options, OpeningProgress progress, LossWarning warn) {
  const ProfileSource source = source_of(options, std::move(progress), std::move(warn));
  opened_ = std::make_shared<const Opened>(std::move(options), source);
}

const InputOptions& OpenedProfile::options() const {
  return opened_->options;
}

bool OpenedProfile::is_summary() const {
  return opened_->summary != nullptr;
}

const SummarySession& OpenedProfile::summary_session() const {
  return *opened_->summary;
}

const SessionFacts& OpenedProfile::facts(const std::string& what) const {
  if (is_summary()) {
    throw Error(options().inputs.front(), "is a summary of a run, without a timeline: " + what + " needs the profile");
  }
  return *opened_->facts;
}

Table OpenedProfile::tables() const {
  if (is_summary()) {
    return list_of_tables(
        declared_tables([&](const Analysis& analysis) { return summary_session().has_rows(analysis); }));
  }
  const ProfileCounts counts(*opened_->facts);
  return list_of_tables(declared_tables(
      [&](const Analysis& analysis) { return analysis.applies == nullptr || analysis.applies(counts); }));
}

Table OpenedProfile::tables_with_rows() const {
  if (is_summary()) return tables();
  const ProfileCounts counts(*opened_->facts);
  return list_of_tables(declared_tables([&](const Analysis& analysis) {
    return (analysis.applies == nullptr || analysis.applies(counts)) && !table(analysis, {}, {.top = 1}).empty();
  }));
}

Table OpenedProfile::table(const std::string& name, const TableOptions& options, const RowChoice& choice) const {
  return table(find_analysis(name), options, choice);
}

Table OpenedProfile::table(const Analysis& analysis, const TableOptions& options, const RowChoice& choice) const {
  if (analysis.events != nullptr) {
    check_options(analysis.name, analysis.options, options);
    return chosen_rows(analysis, *analysis.events(analysis, facts("table " + analysis.name), options), choice);
  }
  Table table = is_summary() ? std::move(summary_session().tables({{&analysis, options}}).front())
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
