// What a state for fold_of (partial.h) keeps of each run by itself, until all runs are known.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace cgpu {

/// In the order of the runs when rows are appended; of a run one or several, or none.
template <typename Kept>
class KeptOfRuns {
 public:
  struct OfRun {
    size_t run = 0;  // in the outline, once all are known
    Kept kept;

    template <typename Archive>
    void members(Archive& archive) {
      archive(kept);
    }
  };

  void add(Kept kept) { all_.push_back({0, std::move(kept)}); }
  void settle(size_t run) {
    for (OfRun& each : all_) each.run = run;
  }
  void combine(KeptOfRuns&& other) {
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
  std::vector<OfRun> all_;
};

}  // namespace cgpu
