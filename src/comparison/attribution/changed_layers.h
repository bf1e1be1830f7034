// In which layers of the model what explains a change has changed, where both sides have equally many, and how many
// each has, where they do not.
//
// What finding the layers costs (analysis/steps/run_layers.h).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "comparison/alignment/alignment.h"

namespace cgpu {

class Comparison;
struct Cause;

class ChangedLayers {
 public:
  explicit ChangedLayers(const Comparison& comparison);

  /// "in each of the 32 layers", "in layer 7 of 32 only", "in layers 4 to 7 of 32"; "" where that is not known, or no
  /// few words say it. Layers count from 0. Where several sequences repeat, as forward and backward, the second in the
  /// opposite order, it is "in each layer" and "in one layer only". Of one of comparison.causes().
  std::string words(const Cause& cause) const;
  /// "B has 14 layers, A 12."; "" where they have equally many, or that is not known.
  std::string count_words() const;

 private:
  const Comparison& comparison_;
  int64_t layers_ = 0;  // 0 where they cannot be compared
  bool numbered_ = true;
  PerSide<int64_t> unequal_;  // how many there are, where there are not equally many; else 0
  /// By cause: ns of its device ops in each layer, and in none behind them.
  std::unordered_map<uint32_t, PerSide<std::vector<int64_t>>> times_;
};

}  // namespace cgpu
