// The cost of the products of experts in one op (fused mixture of experts): tokens [T, H], weights [E, N, H] and
// [E, H, I] with N = 2 I where a gate goes beside (SwiGLU) and N = I without, and [T, k] for the k experts of each
// token.
//
// Each of k T rows goes through both products: 2 k T (H N + I H) FLOP. Which experts the tokens choose is not recorded:
// weights are read of k experts at least, since those of a token differ. (Shazeer et al., 2017, for the layer; its
// costs as Megablocks, Gale et al., 2022, counts them.)
#pragma once

#include <string_view>

#include "analysis/op_shapes/op_costs.h"

namespace cgpu {

/// By the names that vLLM, SGLang and aiter give.
bool is_expert_product(std::string_view op);
/// Nothing where the inputs are not of these shapes.
OpCost expert_cost(const RecordedInputs& inputs);

}  // namespace cgpu
