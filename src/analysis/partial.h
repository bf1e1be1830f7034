// Partial results of an analysis, like the state of an aggregate function in a database: update with one run after
// another, combine the results of different places, finalize to the table.
//
// What is kept of each run stays apart under the run's number until the end, and finalize puts it together in the order
// of the ranks. The result is therefore the same, to the last bit, in whatever order and grouping runs were seen and
// partial results combined. A partial result can be written to bytes and read back (partial_bytes.h). Where runs come
// in the order of their ranks, nothing has to stay apart: append_run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/session_facts.h"
#include "analysis/table_options.h"
#include "base/message.h"
#include "base/positional_reader.h"
#include "table/table.h"

namespace cgpu {

struct Analysis;

/// One run of an opened session, as an analysis reads it.
struct RunInSession {
  const SessionFacts& facts;
  size_t index = 0;     // in the session
  uint32_t number = 0;  // by which partial results know it, the same wherever it is opened

  const Session& session() const { return facts.session(); }
  const Run& run() const { return facts.run(index); }
  const Timeline& timeline() const { return run().timeline; }
};

/// The runs of a session after all have been processed, in the order of the ranks, with aligned clocks where a table
/// needs them (asks_of_other_ranks). Of released timelines only the collectives are left (session/summaries/release.h).
struct RunIndex {
  const SessionFacts& facts;
  std::vector<uint32_t> numbers;  // by index of the run
};

/// The partial result of one run, or of runs that have been combined.
class PartialState {
 public:
  virtual ~PartialState() = default;
  /// Adds its run.
  virtual void update(const RunInSession& run) = 0;
  /// Sets the run of the index that it belongs to.
  virtual void assign_run(const RunIndex& index, size_t run) = 0;
  /// Takes over that of the next rank, of the same analysis and options.
  virtual void combine(PartialState&& next) = 0;
  /// The rows, when all have been combined.
  virtual void append_rows(Table& table, const RunIndex& index) = 0;
  virtual void save(MessageWriter& message) const = 0;
  virtual void load(MessageReader& message) = 0;
  virtual void load(PositionalReader& bytes) = 0;
};

/// It made of a State, which has
///   State(const Analysis&, const TableOptions&)   of no run
///   void update(const RunInSession&)
///   void assign_run(const RunIndex&, size_t run)       where it wants to know
///   void combine(State&&)
///   void append_rows(Table&, const RunIndex&)
///   template <typename Archive> void members(Archive&)
template <typename State>
class PartialStateOf final : public PartialState {
 public:
  PartialStateOf(const Analysis& analysis, const TableOptions& options) : state_(analysis, options) {}

  void update(const RunInSession& run) override { state_.update(run); }
  void assign_run(const RunIndex& index, size_t run) override {
    if constexpr (requires { state_.assign_run(index, run); }) state_.assign_run(index, run);
  }
  void combine(PartialState&& next) override { state_.combine(std::move(static_cast<PartialStateOf&>(next).state_)); }
  void append_rows(Table& table, const RunIndex& index) override { state_.append_rows(table, index); }
  void save(MessageWriter& message) const override { message(state_); }
  void load(MessageReader& message) override { message(state_); }
  void load(PositionalReader& bytes) override { bytes(state_); }

 private:
  State state_;
};

class Partial {
 public:
  /// Of no run.
  using NewState = std::unique_ptr<PartialState> (*)(const Analysis& analysis, const TableOptions& options);

  Partial(const Analysis& analysis, const TableOptions& options, NewState make)
      : analysis_(analysis), options_(options), new_state_(make) {}

  /// Looks at a run. A run that was seen before is replaced.
  void update(const RunInSession& run);
  /// Takes over what another partial result of the same analysis and options keeps, of other runs.
  void combine(Partial&& other);
  /// Takes out what is kept of one run, as a partial result of that run alone, under the number 0.
  std::unique_ptr<Partial> take_run(uint32_t number);
  /// Appends such a result to those of the runs before it in the run index, so that it need not be stored separately.
  /// Runs are appended in the order of the run index. Throws Error for a result of none or several runs.
  void append_run(const RunIndex& index, size_t run, Partial&& of_run);
  /// The table over the runs of the run index, all of which have been seen or appended. Leaves nothing behind.
  Table finalize(const RunIndex& index);
  /// As a message (base/message.h).
  void save(MessageWriter& message) const;
  /// Throws Error for a message that save() has not written, here or in another version of the program.
  void load(MessageReader& message);
  /// The same of what was written for version 9 of summaries.
  void load(PositionalReader& bytes);

 private:
  std::unique_ptr<PartialState> new_state() const { return new_state_(analysis_, options_); }
  void append(const RunIndex& index, size_t run, PartialState&& state);
  template <typename Reader>
  void load_states(Reader& reader);

  const Analysis& analysis_;
  TableOptions options_;
  NewState new_state_;
  std::map<uint32_t, std::unique_ptr<PartialState>> states_;  // by number of the run
  std::unique_ptr<PartialState> appended_;                    // of the runs that came first, in their order
};

/// For Analysis::fold.
template <typename State>
std::unique_ptr<Partial> fold_of(const Analysis& analysis, const TableOptions& options) {
  return std::make_unique<Partial>(analysis, options,
                                   [](const Analysis& of, const TableOptions& with) -> std::unique_ptr<PartialState> {
                                     return std::make_unique<PartialStateOf<State>>(of, with);
                                   });
}

}  // namespace cgpu
