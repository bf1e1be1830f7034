// Loops around a network: where a whole pass of its layers is repeated many times, as a sampler of images does in each
// of its denoising steps, a language model for each token that it writes, and training for each part of a batch.
//
// The layers of the run (run_layers.h) are taken as one word each time they are gone through, by how many there are;
// the other device ops as words by their class, copies and memsets left out. What repeats in this sequence at least
// three times in a row, within one iteration, is a loop: the shortest that does. A pass must hold layers with two
// matrix products, convolutions or the like each, so that the blocks of convolutional networks are no passes. O(n log
// n) in the device ops; a loop is looked for at the distances of the next kNextPasses words that are alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/steps/run_layers.h"

namespace cgpu {

/// How many of the next times that the same layers are gone through may be the next pass.
inline constexpr size_t kNextPasses = 16;

struct PassOfLoop {
  size_t first = 0;  // of its ops in LoopsOfRun::layers.ops
  size_t end = 0;
  Interval time;  // up to the begin of the next pass, of the last to the end of its ops
};

struct LoopOfPasses {
  int64_t device = 0;
  std::optional<size_t> step;  // of the steps of the run
  Interval around;             // the step, or all of the device's ops where there are none
  size_t first_around = 0;     // of the ops of `around` in LoopsOfRun::layers.ops
  int64_t layers = 0;          // that each pass goes through
  std::vector<PassOfLoop> passes;
  std::vector<int64_t> layers_before;  // each time that layers are gone through from the begin of `around` to the loop
  std::vector<int64_t> layers_after;

  Interval time() const { return {passes.front().time.begin, passes.back().time.end}; }
};

struct LoopsOfRun {
  RunLayers layers;
  std::vector<LoopOfPasses> loops;  // device by device, in the order of time
};

LoopsOfRun find_loops(const RunInSession& run);

}  // namespace cgpu
