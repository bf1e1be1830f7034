#include "analysis/partial.h"

#include "analysis/analysis.h"
#include "base/error.h"

namespace cgpu {

void Partial::update(const RunInSession& run) {
  std::unique_ptr<PartialState> state = new_state();
  state->update(run);
  states_.insert_or_assign(run.number, std::move(state));
}

void Partial::combine(Partial&& other) {
  states_.merge(other.states_);
}

std::unique_ptr<Partial> Partial::take_run(uint32_t number) {
  auto alone = std::make_unique<Partial>(analysis_, options_, new_state_);
  auto node = states_.extract(number);
  if (!node.empty()) alone->states_.emplace(0, std::move(node.mapped()));
  return alone;
}

void Partial::append_run(const RunIndex& index, size_t run, Partial&& of_run) {
  if (of_run.states_.size() != 1) throw Error("a partial result of one run was expected");
  append(index, run, std::move(*of_run.states_.begin()->second));
  of_run.states_.clear();
}

Table Partial::finalize(const RunIndex& index) {
  for (size_t run = 0; run < index.numbers.size(); ++run) {
    const auto found = states_.find(index.numbers[run]);
    if (found != states_.end()) append(index, run, std::move(*found->second));
  }
  states_.clear();
  Table table = analysis_.empty_table();
  if (!appended_) appended_ = new_state();
  appended_->append_rows(table, index);
  appended_.reset();
  return table;
}

void Partial::save(MessageWriter& message) const {
  auto state = states_.begin();
  message.each(states_.size(), [&](size_t) {
    message(state->first);
    state->second->save(message);
    ++state;
  });
}

void Partial::load(MessageReader& message) {
  load_states(message);
}

void Partial::load(PositionalReader& bytes) {
  load_states(bytes);
}

template <typename Reader>
void Partial::load_states(Reader& reader) {
  reader.each(0, [&](size_t) {
    uint32_t number = 0;
    std::unique_ptr<PartialState> state = new_state();
    reader(number);
    state->load(reader);
    if (!states_.try_emplace(number, std::move(state)).second) reader.fail("holds a run twice");
  });
}

void Partial::append(const RunIndex& index, size_t run, PartialState&& state) {
  state.assign_run(index, run);
  if (!appended_) appended_ = new_state();
  appended_->combine(std::move(state));
}

}  // namespace cgpu
