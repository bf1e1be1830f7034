// The cost of a convolution and of its gradients: two operations for each weight that an element of the result is made
// of, zeros of the padding included. A transposed convolution applies its weights to each element of the input. Groups
// and dilation change nothing of this: a weight has the channels of its group, and is applied as often. Each gradient,
// of the input and of the weight, costs as much as the convolution (Goodfellow et al., Deep Learning, 9.5).
#pragma once

#include <string_view>

#include "analysis/op_shapes/op_costs.h"

namespace cgpu {

bool is_convolution(std::string_view op);
/// Nothing where strides, padding or which gradients are wanted are not recorded.
OpCost convolution_cost(std::string_view op, const RecordedInputs& inputs);

}  // namespace cgpu
