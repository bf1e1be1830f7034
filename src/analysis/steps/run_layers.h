// The layers of the model in one run: the layer and the part of it that each device op belongs to.
//
// Where modules were recorded, layers are the siblings of one class that hold the most device time. Else they are the
// sequence of device ops, in the order of their launches, that repeats within an iteration (repeats.h); no model's
// configuration is asked for. O(n log n) in the device ops, and O(slices) for what they lie in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/partial.h"
#include "analysis/steps/step_times.h"

namespace cgpu {

/// In the place of the number of a layer, of what is in none.
inline constexpr int64_t kNoLayer = -1;

struct PlacedOp {
  OpIndex op;
  SliceIndex slice;   // in the run
  SliceIndex launch;  // in the timeline that has the calls, kNone where unknown
  uint8_t kernel_class;
  int64_t device;
  std::optional<int64_t> part_of_batch = {};  // the stream, where several compute parts of a batch in turn
  int64_t layer = kNoLayer;                   // counts from 0
  uint32_t sequence = 0;                      // which of several that repeat, the largest being 1; 0 for modules
  std::string_view part = {};                 // "attention", ...
  std::string_view phase = {};
};

/// Layers that repeat in a sequence of device ops, as in the forward or in the backward pass.
struct LayerSequence {
  size_t ops_in_layer = 0;      // on average over the kinds
  size_t kinds_in_turn = 1;     // layers after which the sequence repeats: 4 of three of one kind and one of another
  std::vector<int64_t> layers;  // by stretch: how many there are in a row
};

struct RunLayers {
  /// All of plausible duration, device by device (and part of a batch by part) in the order of their launches.
  std::vector<PlacedOp> ops;
  std::string found_by;                       // "modules", "sequence", or "" where there are no layers
  int64_t all_ns = 0;                         // of all these ops
  std::vector<LayerSequence> sequences = {};  // the largest first; none of modules
};

RunLayers find_layers(const RunInSession& run);

/// The layers of a run by its device ops, where their numbers can be relied on in another run: at least three layers,
/// which are modules or, of each kind, all of one length (a sequence that was interrupted is counted from 0 again
/// behind that).
struct LayerOfOps {
  std::string found_by;        // as RunLayers
  std::vector<int64_t> of_op;  // by OpIndex, kNoLayer in none; of several sequences that repeat the largest one's
  int64_t count = 0;           // of the layers; 0 where the numbers cannot be relied on
  std::vector<LayerSequence> sequences;  // as RunLayers
};
LayerOfOps layer_of_ops(const RunInSession& run);

/// The one of `steps` that a time lies in.
std::optional<size_t> step_of(const std::vector<Step>& steps, int64_t time);

}  // namespace cgpu
