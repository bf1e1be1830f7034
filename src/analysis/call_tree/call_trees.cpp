#include "analysis/call_tree/call_trees.h"

#include <algorithm>

namespace cgpu {

std::vector<const CallTree*> trees_in(const std::vector<TreeOfRun>& runs) {
  std::vector<const CallTree*> trees;
  for (const TreeOfRun& run : runs) trees.push_back(run.tree);
  return trees;
}

void FoldedRuns::update(const RunInSession& run) {
  const auto& part = run.run().part_of;
  const bool has_tree = run.run().call_tree || (part && run.session().whole->runs[part->run].call_tree);
  if (has_tree) return;
  const ThreadFrames threads = apart_ == "threads" ? ThreadFrames::apart : ThreadFrames::merged;
  FoldedTimeline timeline = fold_timeline(run.session(), run.index, threads);
  if (!timeline.parent.empty()) folded_.add(std::move(timeline));
}

std::vector<TreeOfRun> FoldedRuns::trees(const RunIndex& index) {
  const std::vector<Run>& runs = index.facts.session().runs;
  std::vector<TreeOfRun> trees;
  const auto add_stored = [&](size_t run) {
    if (runs[run].call_tree) trees.push_back({runs[run].rank, &*runs[run].call_tree});
  };
  made_.clear();
  made_.reserve(folded_.size());  // whose places are kept
  if (apart_ == "nothing" && folded_.size() > 1) {
    for (size_t run = 0; run < runs.size(); ++run) add_stored(run);
    std::vector<const FoldedTimeline*> all;
    for (const auto& folded : folded_) all.push_back(&folded.value);
    made_.push_back(call_tree_of(merged(all)));
    trees.push_back({Cell(), &made_.back()});
    return trees;
  }
  auto next = folded_.begin();
  for (size_t run = 0; run < runs.size(); ++run) {
    add_stored(run);
    for (; next != folded_.end() && next->run == run; ++next) {
      made_.push_back(call_tree_of(next->value));
      TreeOfRun& tree = trees.emplace_back();
      tree.rank = runs[run].rank;
      tree.tree = &made_.back();
    }
  }
  return trees;
}

}  // namespace cgpu
