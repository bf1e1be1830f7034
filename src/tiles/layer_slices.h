// The layers of the model (docs/definitions/steps-and-layers.md, "layers") and their parts as slices of the viewer.
//
// A layer of a device lasts from the start of its first op to the end of its last, a part likewise, but no longer than
// until an op of another layer or part starts: where streams run beside each other, what began last is shown.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/partial.h"
#include "tiles/derived_slices.h"

namespace cgpu {

struct LayerSlices {
  /// The name of a layer is its number; that of a part kFirstPart + its place in kLayerParts (layer_parts.h). The
  /// origin is its first op.
  DerivedSlices slices;
  std::vector<uint32_t> lane;  // of each slice: 0 for layers, 1 for parts

  static constexpr uint32_t kLanes = 2;
  static constexpr uint32_t kFirstPart = 1U << 31;
};

/// By device of a run; of one without layers nothing. Costs what the table layers costs; 20 bytes a slice.
std::map<int32_t, LayerSlices> layer_slices(const RunInSession& run);

}  // namespace cgpu
