// A profile, or a summary of one, that stays open for questions: what was opened and selected, with what is found of it
// once. For programs that ask for one table after another. Any number of threads may ask at once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "analysis/analysis.h"
#include "analysis/events/choose_rows.h"
#include "analysis/events/event_table.h"
#include "session/input_options.h"
#include "session/kept_session.h"

namespace cgpu {

class OpenedProfile {
 public:
  /// Opens and selects what the options say. `progress` and `warn` as in OpenOptions. Throws Error.
  OpenedProfile(InputOptions options, decltype(OpenOptions::progress) progress, decltype(OpenOptions::warn) warn);
  OpenedProfile(const OpenedProfile&) = delete;
  OpenedProfile& operator=(const OpenedProfile&) = delete;

  const InputOptions& options() const { return options_; }
  bool is_summary() const { return kept_ != nullptr; }
  /// Of a summary: what it keeps.
  const KeptSession& kept() const { return *kept_; }
  /// Throws Error for a summary, which has no timeline; `what` needs one.
  const SessionFacts& facts(const std::string& what) const;

  /// The tables that have rows, as far as that can be told without computing them.
  Table tables() const;
  /// A table that is not of events. Throws Error, for a summary as KeptSession::tables does.
  Table table(const Analysis& analysis, const TableOptions& options, const RowChoice& choice) const;

 private:
  OpenedProfile(InputOptions options, const OpenOptions& open);

  const InputOptions options_;
  const std::unique_ptr<const KeptSession> kept_;  // of a summary
  const Session session_;                          // else
  std::optional<SessionFacts> facts_;
};

/// The chosen rows of a table of events of a profile that stays open as long as this. Any number of threads at once;
/// each reader sees all rows.
class ChosenEvents : public std::enable_shared_from_this<ChosenEvents> {
 public:
  /// Throws Error.
  ChosenEvents(std::shared_ptr<const OpenedProfile> profile, const Analysis& analysis, const TableOptions& options,
               RowChoice choice);

  const Table& declared() const { return declared_; }
  /// O(rows) for the columns of the filter when first asked, O(1) without one.
  size_t row_count() const;
  /// The first `most` rows (0: all) in batches, as ChosenRows::next gives them. What is returned keeps this.
  std::function<std::optional<Table>()> read(size_t most = 0) const;

 private:
  const std::shared_ptr<const OpenedProfile> profile_;
  const Analysis& analysis_;
  const RowChoice choice_;
  const std::unique_ptr<EventTable> events_;
  const Table declared_;
  mutable std::mutex mutex_;  // of the events and of the count
  mutable std::optional<size_t> row_count_;
};

}  // namespace cgpu
