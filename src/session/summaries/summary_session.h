// The session of a summary, whose runs have no timelines, and its tables: the same, to the last bit, as those of the
// profiles opened together.
//
// The records are read once for the runs, and once for each call of tables(). Each partial result is appended to those
// of the ranks before it and dropped (Partial::append_run): memory is that of the tables. Clocks and waits between
// ranks are computed on first use from the collectives of all records; 26 bytes a collective stay of each rank, beyond
// 64 MB out of core (base/out_of_core.h). Where the records together take more than 64 MB, samples go into histograms
// (analysis/common/statistics.h), so that memory grows with names and not with events; medians are then within 1 %, as
// a note says. A few records are decoded at a time, on several threads.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "session/summaries/summary.h"
#include "session/wanted_table.h"

namespace cgpu {

class SummarySession {
 public:
  /// `ranks`: the ranks to keep; empty for all. Clocks are aligned with all ranks of the summary. Throws Error for
  /// damaged records, for runs that do not belong to one job, and for ranks that the summary does not have.
  SummarySession(Summary summary, const OpenOptions& open, const NumberList& ranks = {});
  SummarySession(const SummarySession&) = delete;
  SummarySession& operator=(const SummarySession&) = delete;

  /// Its runs have nothing left of their timelines, not even collectives. Their clocks are aligned.
  const Session& session() const { return facts_of_all().session(); }
  /// The same; the clocks are aligned if a table needed that.
  const Session& runs() const { return session_; }
  /// By index of the run: its place in the summary.
  const std::vector<uint32_t>& numbers() const { return numbers_; }
  /// What the summary says of the profile that a run of the session was made of, and the file that says it.
  const Summary::Entry& entry_of(size_t run) const { return summary_.runs()[numbers_[run]]; }
  const std::string& source_of(size_t run) const { return summary_.source_of(numbers_[run]); }
  /// Whether it has a table.
  bool has_table(const Analysis& analysis) const;
  /// Whether that table has rows, as far as known without computing it.
  bool has_rows(const Analysis& analysis) const;
  /// Throws Error for a table that it does not have, with what to open instead.
  std::vector<Table> tables(const std::vector<WantedTable>& wanted) const;
  /// Calls visit(record) for each run, without its partial results, in the order of the ranks.
  template <typename Visit>
  void for_each_record(Visit visit) const {
    for (const uint32_t number : numbers_) {
      visit(summary_.reader_of(number, summary_.record(number)).run());
    }
  }

 private:
  struct Collectives {
    std::vector<CollectiveSeries> device;
    std::vector<CollectiveSeries> host;
    std::vector<HostCauses::Waits> known_waits;  // by run: those that its record knows of
  };

  void open_runs(const OpenOptions& open, const NumberList& ranks);
  /// Of the runs of the session.
  Collectives read_collectives() const;
  /// Puts the clocks of all runs together. Returns the collectives on devices.
  std::vector<CollectiveSeries> align() const;
  void keep_ranks(const NumberList& ranks);
  void add_notes() const;
  /// What is known of how ranks relate to each other; waits until it is.
  const SessionFacts& facts_of_all() const;
  const Table* finished_table(const std::string& name) const;
  bool is_folded(const Analysis& analysis) const;
  bool is_made_of_runs(const Analysis& analysis) const;
  bool is_made_of_tables(const Analysis& analysis) const;
  std::string profile_to_open() const;
  [[noreturn]] void refuse(const Analysis& analysis) const;
  void fold(const std::vector<std::pair<const Analysis*, Partial*>>& folds) const;

  const Summary summary_;
  const std::string name_;
  const unsigned threads_;
  FinishedTables finished_;
  std::vector<std::string> of_all_;  // finished tables that are of all ranks, where only some are wanted
  std::set<std::string> missing_;    // folded tables without a partial result of some run
  std::set<std::string> left_out_;   // those of them that it had, but were too large or of a recorded call tree
  std::set<std::string> reduced_;    // tables of whose samples a run keeps only histograms
  bool is_large_ = false;            // of no samples more is kept
  std::set<Subject> recorded_;       // what runs had that is no timeline
  mutable Session session_;          // clocks and notes are complete when facts_ have the collectives
  std::vector<uint32_t> numbers_;
  mutable std::set<uint32_t> unknown_waits_;  // runs that waited for others, which their records do not know, by number
  std::optional<SessionFacts> facts_;
};

}  // namespace cgpu
