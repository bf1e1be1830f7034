// The framework ops of a run that are alike: of one name, with inputs of the same shapes and types, so that one cost
// holds for all of them.
//
// Reads the arguments of every framework op from the profile again (a pass over the file, on all threads) and looks at
// equal texts once; else O(n) in the slices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/op_shapes/op_costs.h"
#include "hardware/device_peaks.h"
#include "model/run.h"

namespace cgpu {

/// OpCost::peak of 32-bit floats: where it is not known how they are multiplied; as such; rounded to TF32.
inline constexpr std::string_view kFp32 = "fp32";
inline constexpr std::string_view kFp32OnVectorUnits = "fp32 on vector units";
inline constexpr std::string_view kTf32 = "tf32";

/// Name, shapes, types, settings (OpCost::settings).
using OpKey = std::tuple<std::string, std::string, std::string, std::string>;

/// The ops of a run by key.
struct OpGroups {
  static constexpr uint32_t kNoGroup = UINT32_MAX;
  struct Group {
    OpKey key;
    OpCost cost;
    bool casts = false;  // whether it copies to a tensor of another type
  };
  std::vector<Group> groups;
  std::vector<uint32_t> of_slice;  // the group of an op; kNoGroup of other slices
  bool any_inputs = false;         // whether the profile records the inputs of any of them
};

/// Of all framework ops, or of those for which `wanted` holds by slice.
OpGroups group_ops(const Run& run, const std::vector<bool>* wanted = nullptr);

/// What the matrix units reach for a type (OpCost::peak); absent where they might be allowed to compute in a narrower
/// one.
std::optional<double> matrix_rate(const DevicePeaks& peaks, std::string_view type);

}  // namespace cgpu
