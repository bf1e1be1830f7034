// A profile, or a summary of one, that stays open for questions: what was opened and selected, with what is found of it
// once. For programs that ask for one table after another, also other ones (docs/cpp.md).
#pragma once

#include <memory>
#include <string>

#include "analysis/table_options.h"
#include "session/input_options.h"
#include "session/opening_progress.h"
#include "table/batches.h"
#include "table/filter.h"
#include "table/table.h"

namespace cgpu {

struct Analysis;
class SummarySession;
class SessionFacts;

/// A copy is the same profile, which is released with the last of them. Any number of threads may ask at once.
class OpenedProfile {
 public:
  /// Opens and selects what the options say. Throws Error.
  explicit OpenedProfile(InputOptions options, OpeningProgress progress = nullptr, LossWarning warn = nullptr);

  const InputOptions& options() const;
  bool is_summary() const;
  /// Of a summary: what it keeps.
  const SummarySession& summary_session() const;

  /// The tables that have rows, as far as known without computing them.
  Table tables() const;
  /// Those that do have rows: computes each that `tables` lists.
  Table tables_with_rows() const;
  /// The chosen rows of a table, by its name or an alias. Throws Error for what the table does not have, and for a
  /// summary that does not keep it.
  Table table(const std::string& name, const TableOptions& options = {}, const RowChoice& choice = {}) const;
  Table table(const Analysis& analysis, const TableOptions& options, const RowChoice& choice) const;
  /// The same in batches, so that a table of events is never in memory as a whole. The result keeps the profile; it is
  /// for one thread at a time.
  BatchedTable read(const std::string& name, const TableOptions& options = {}, RowChoice choice = {}) const;

  /// Throws Error for a summary, which has no timeline; `what` needs one.
  const SessionFacts& facts(const std::string& what) const;

 private:
  struct Opened;
  std::shared_ptr<const Opened> opened_;
};

}  // namespace cgpu
