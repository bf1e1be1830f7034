// The cost of a convolution and of its gradients: two operations for each weight that an element of the result is made
// of, zeros of the padding included. A transposed convolution applies its weights to each element of the input.
#pragma once

#include <string_view>

#include "analysis/op_shapes/op_costs.h"

namespace cgpu {

bool is_convolution(std::string_view op);
/// Nothing where strides, padding or which gradients are wanted are not recorded.
OpCost convolution_cost(std::string_view op, const RecordedInputs& inputs);

}  // namespace cgpu
