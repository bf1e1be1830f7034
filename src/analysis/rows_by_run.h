// Tables in which each run has rows of its own: one a device, a stream, a step.
#pragma once

#include <type_traits>
#include <utility>

#include "analysis/analysis.h"

namespace cgpu {

/// Writes the rank of a run into the key column `rank`, and turns the moments of its rows, which count on the run's
/// clock, into moments from the start of the session.
void assign_run_to_rows(Table& rows, const RunIndex& index, size_t run);
/// The values of each column, with its name.
void write_rows(MessageWriter& message, const Table& rows);
/// Appends rows. Columns that they lack are absent, those that the table does not have are left out. Throws Error for a
/// message that write_rows has not written.
void read_rows(MessageReader& message, Table& rows);
/// The same of what version 9 of summaries has.
void read_rows(PositionalReader& bytes, Table& rows);

/// A state for fold_of. kAppendRows(run, table) or kAppendRows(run, options, table) appends the rows of one run, with
/// moments on the run's clock and whatever it likes as rank; kOrder puts the rows of all runs in order where that of
/// the ranks is not the wanted one.
template <auto kAppendRows, void (*kOrder)(Table&) = nullptr>
class RowsByRun {
 public:
  RowsByRun(const Analysis& analysis, const TableOptions& options) : rows_(analysis.empty_table()), options_(options) {}
  void update(const RunInSession& run) {
    if constexpr (std::is_invocable_v<decltype(kAppendRows), const RunInSession&, const TableOptions&, Table&>) {
      kAppendRows(run, options_, rows_);
    } else {
      kAppendRows(run, rows_);
    }
  }
  void assign_run(const RunIndex& index, size_t run) { assign_run_to_rows(rows_, index, run); }
  void combine(RowsByRun&& other) { rows_.append_all(other.rows_); }
  void append_rows(Table& table, const RunIndex&) {
    table = std::move(rows_);
    if constexpr (kOrder != nullptr) kOrder(table);
  }
  template <typename Archive>
  void members(Archive& archive) {
    if constexpr (Archive::kIsWriting) {
      write_rows(archive, rows_);
    } else {
      read_rows(archive, rows_);
    }
  }

 private:
  Table rows_;
  TableOptions options_;
};

}  // namespace cgpu
