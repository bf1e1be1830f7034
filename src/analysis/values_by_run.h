// What a state for fold_of (partial.h) keeps of each run by itself, until all runs are known.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace cgpu {

/// In the order of the runs when rows are appended; of a run one or several, or none.
template <typename Value>
class ValuesByRun {
 public:
  struct PerRun {
    size_t run = 0;  // in the run index, once all are known
    Value value;

    template <typename Archive>
    void members(Archive& archive) {
      archive(value);
    }
  };

  void add(Value value) { all_.push_back({0, std::move(value)}); }
  void assign_run(size_t run) {
    for (PerRun& each : all_) each.run = run;
  }
  void combine(ValuesByRun&& other) {
    all_.insert(all_.end(), std::make_move_iterator(other.all_.begin()), std::make_move_iterator(other.all_.end()));
  }
  size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  template <typename Archive>
  void members(Archive& archive) {
    archive(all_);
  }

 private:
  std::vector<PerRun> all_;
};

}  // namespace cgpu
