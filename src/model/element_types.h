// Types of the elements of tensors, as PyTorch ("c10::BFloat16", "long int"), its collectives ("BFloat16") and other
// libraries ("bf16") write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cgpu {

struct ElementType {
  int64_t size = 0;  // bytes
  /// Under which name hardware/device_peaks.h has its rate; empty for integers of more than 8 bits, booleans and
  /// complex numbers.
  std::string_view peak;
  bool is_floating = false;  // a real number with a fraction
};

/// Absent for what is no type of elements ("Scalar", "TensorList", ""). Case does not matter, nor does "c10::".
std::optional<ElementType> element_type(std::string_view type);

/// Bytes of an element.
std::optional<int64_t> element_size(std::string_view type);

}  // namespace cgpu
