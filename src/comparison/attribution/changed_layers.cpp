#include "comparison/attribution/changed_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "analysis/steps/run_layers.h"
#include "comparison/comparison.h"
#include "comparison/tables/compared_columns.h"

namespace cgpu {

namespace {

/// How many layers nearly all stretches of a sequence have; 0 where there is no such number.
int64_t usual_count(const LayerSequence& sequence) {
  constexpr double kNearlyAll = 0.75;
  if (sequence.layers.empty()) return 0;
  const int64_t most = *std::max_element(sequence.layers.begin(), sequence.layers.end());
  const auto with = std::count(sequence.layers.begin(), sequence.layers.end(), most);
  return static_cast<double>(with) >= kNearlyAll * static_cast<double>(sequence.layers.size()) ? most : 0;
}

/// How many layers each side has, where they have unequally many: of modules all; of sequences that have equally many
/// ops in a layer, none of which may be as long in both.
PerSide<int64_t> unequal_counts(const LayerOfOps& a, const LayerOfOps& b) {
  constexpr int64_t kFewestLayers = 3;
  if (a.found_by != b.found_by) return {};
  if (a.sequences.empty() && b.sequences.empty()) {
    if (a.count == b.count || a.count == 0 || b.count == 0) return {};
    return {a.count, b.count};
  }
  PerSide<int64_t> most;
  for (const LayerSequence& in_a : a.sequences) {
    for (const LayerSequence& in_b : b.sequences) {
      if (in_a.ops_in_layer != in_b.ops_in_layer) continue;
      const PerSide<int64_t> counts{usual_count(in_a), usual_count(in_b)};
      if (counts.a == counts.b && counts.a >= kFewestLayers) return {};
      if (counts.a < kFewestLayers || counts.b < kFewestLayers) continue;
      if (counts.a + counts.b > most.a + most.b) most = counts;
    }
  }
  return most;
}

}  // namespace

ChangedLayers::ChangedLayers(const Comparison& comparison) : comparison_(comparison) {
  PerSide<std::vector<LayerOfOps>> layers;
  std::optional<int64_t> count;
  for (const Side side : kSides) {
    for (size_t run = 0; run < comparison.facts(side).session().runs.size(); ++run) {
      layers[side].push_back(layer_of_ops({comparison.facts(side), run}));
    }
  }
  if (layers.a.empty() || layers.b.empty()) return;
  unequal_ = unequal_counts(layers.a.front(), layers.b.front());
  for (const Side side : kSides) {
    for (const LayerOfOps& found : layers[side]) {
      if (found.count == 0 || (count && *count != found.count)) return;
      if (found.found_by != layers.a.front().found_by) return;
      if (found.sequences.size() > 1) numbered_ = false;
      count = found.count;
    }
  }
  if (!count) return;
  layers_ = *count;
  const auto size = static_cast<size_t>(layers_) + 1;
  for (const Side side : kSides) {
    for (size_t run = 0; run < layers[side].size(); ++run) {
      const Timeline& timeline = comparison.facts(side).run(run).timeline;
      for (OpIndex op = 0; op < timeline.device_ops.size(); ++op) {
        const std::optional<uint32_t> cause = comparison.cause_of_op(side, run, op);
        if (!cause) continue;
        std::vector<int64_t>& times = times_[*cause][side];
        times.resize(size);
        const int64_t layer = layers[side][run].of_op[op];
        times[layer == kNoLayer ? size - 1 : static_cast<size_t>(layer)] +=
            timeline.slices.duration[timeline.device_ops.slice[op]];
      }
    }
  }
}

std::string ChangedLayers::count_words() const {
  return unequal_.a == 0 ? "" : fmt::format("Layers: {} -> {}.\n", unequal_.a, unequal_.b);
}

std::string ChangedLayers::words(const Cause& cause) const {
  const auto found = times_.find(static_cast<uint32_t>(&cause - comparison_.causes().data()));
  if (found == times_.end()) return {};
  const auto count = static_cast<size_t>(layers_);
  const auto time = [&](Side side, size_t layer) {
    const std::vector<int64_t>& times = found->second[side];
    return times.empty() ? 0.0 : per_device_iteration(comparison_, side, times[layer]);
  };
  std::vector<double> change;  // of each layer, and of what is in none
  for (size_t layer = 0; layer <= count; ++layer) change.push_back(time(Side::b, layer) - time(Side::a, layer));
  if (std::accumulate(change.begin(), change.end(), 0.0) < 0) {
    for (double& one : change) one = -one;
  }
  const double all = std::accumulate(change.begin(), change.end(), 0.0);
  const double largest = *std::max_element(change.begin(), change.end() - 1);
  std::vector<size_t> with;
  double sum_with = 0;
  for (size_t layer = 0; layer < count; ++layer) {
    if (change[layer] <= 0 || change[layer] < largest / 2) continue;
    with.push_back(layer);
    sum_with += change[layer];
  }
  constexpr double kMost = 0.8;
  if (with.empty() || sum_with < kMost * all) return {};
  if (!numbered_) {
    if (with.size() == 1) return "in one layer only";
    return static_cast<double>(with.size()) >= kMost * static_cast<double>(count) ? "in each layer" : "in some layers";
  }
  if (with.size() == 1) return fmt::format("in layer {} of {} only", with.front(), count);
  if (static_cast<double>(with.size()) >= kMost * static_cast<double>(count)) {
    return with.size() == count ? fmt::format("in each of the {} layers", count)
                                : fmt::format("in {} of {} layers", with.size(), count);
  }
  if (with.back() - with.front() + 1 == with.size()) {
    return fmt::format("in layers {} to {} of {}", with.front(), with.back(), count);
  }
  return fmt::format("in {} of {} layers", with.size(), count);
}

}  // namespace cgpu
