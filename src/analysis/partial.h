// What an analysis keeps of the runs that it has seen, as an aggregate function of a database does: update with one run
// after another, combine what was kept in different places, finalize to the table.
//
// What is kept of each run stays apart under the run's number until the end, and finalize puts it together in the order
// of the ranks. The result is therefore the same, to the last bit, in whatever order and grouping runs were seen and
// partial results combined. A partial result can be written to bytes and read back (partial_bytes.h). Where runs come
// in the order of their ranks, nothing has to stay apart: append_run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/session_facts.h"
#include "analysis/table_options.h"
#include "base/archive.h"
#include "base/error.h"
#include "table/table.h"

namespace cgpu {

struct Analysis;

/// One run of an opened session, as an analysis looks at it.
struct RunInSession {
  const SessionFacts& facts;
  size_t index = 0;     // in the session
  uint32_t number = 0;  // by which partial results know it, the same wherever it is opened

  const Session& session() const { return facts.session(); }
  const Run& run() const { return facts.run(index); }
  const Timeline& timeline() const { return run().timeline; }
};

/// The runs of a session when all have been seen: who they are and, where a table asks for that (asks_of_other_ranks),
/// how their clocks stand; in the order of the ranks. Their timelines may have been let go but for what ranks must know
/// of each other (session/let_go.h).
struct Outline {
  const SessionFacts& facts;
  std::vector<uint32_t> numbers;  // by index of the run
};

class Partial {
 public:
  virtual ~Partial() = default;
  /// Looks at a run. A run that was seen before is replaced.
  virtual void update(const RunInSession& run) = 0;
  /// Takes over what another partial result of the same analysis and options keeps, of other runs.
  virtual void combine(Partial&& other) = 0;
  /// Takes out what is kept of one run, as a partial result of that run alone, under the number 0.
  virtual std::unique_ptr<Partial> take_run(uint32_t number) = 0;
  /// Puts what such a result keeps behind the runs that come before it in the outline, so that it need not be kept
  /// apart. Runs are appended in the order of the outline. Throws Error for a result of none or several runs.
  virtual void append_run(const Outline& outline, size_t run, Partial&& of_run) = 0;
  /// The table over the runs of the outline, all of which have been seen or appended. Leaves nothing behind.
  virtual Table finalize(const Outline& outline) = 0;
  virtual void save(ByteWriter& bytes) const = 0;
  /// Throws Error for bytes that save() has not written.
  virtual void load(ByteReader& bytes) = 0;
};

/// A partial result made of one State a run. A State has
///   State(const Analysis&, const TableOptions&)   of no run
///   void update(const RunInSession&)              looks at its run
///   void settle(const Outline&, size_t run)       where it wants to know which run of the outline it is of
///   void combine(State&&)                         takes over that of the next rank
///   void append_rows(Table&, const Outline&)      the rows, when all have been combined
///   template <typename Archive> void members(Archive&)
template <typename State>
class PartialOf final : public Partial {
 public:
  PartialOf(const Analysis& analysis, const TableOptions& options) : analysis_(analysis), options_(options) {}

  void update(const RunInSession& run) override {
    State state(analysis_, options_);
    state.update(run);
    states_.insert_or_assign(run.number, std::move(state));
  }
  void combine(Partial&& other) override { states_.merge(static_cast<PartialOf&>(other).states_); }
  std::unique_ptr<Partial> take_run(uint32_t number) override {
    auto alone = std::make_unique<PartialOf>(analysis_, options_);
    auto node = states_.extract(number);
    if (!node.empty()) alone->states_.emplace(0, std::move(node.mapped()));
    return alone;
  }
  void append_run(const Outline& outline, size_t run, Partial&& of_run) override {
    std::map<uint32_t, State>& states = static_cast<PartialOf&>(of_run).states_;
    if (states.size() != 1) throw Error("a partial result of one run was expected");
    append(outline, run, std::move(states.begin()->second));
    states.clear();
  }
  Table finalize(const Outline& outline) override;
  void save(ByteWriter& bytes) const override {
    bytes(static_cast<uint64_t>(states_.size()));
    for (const auto& [number, state] : states_) bytes(number, state);
  }
  void load(ByteReader& bytes) override {
    uint64_t count = 0;
    for (bytes(count); count > 0; --count) {
      uint32_t number = 0;
      State state(analysis_, options_);
      bytes(number, state);
      if (!states_.try_emplace(number, std::move(state)).second) bytes.fail("holds a run twice");
    }
  }

 private:
  void append(const Outline& outline, size_t run, State&& state);

  const Analysis& analysis_;
  TableOptions options_;
  std::map<uint32_t, State> states_;  // by number of the run
  std::optional<State> appended_;     // of the runs that came first, in their order
};

}  // namespace cgpu
