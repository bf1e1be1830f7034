// The cost of attention: softmax(Q K^T) V for each head, and its gradients.
//
// Counted are the products of matrices over the pairs of a query and a key that the mask leaves: of a causal mask the
// area of its triangle (half of all pairs where there are as many queries as keys), of a mask that is given as a tensor
// all pairs. Forward: scores and result. Backward: the scores once more, as the fused kernels do that need no scores
// kept, and the gradients of V, of the probabilities, of Q and of K. So count FlashAttention (Dao et al., 2022) and
// FlashAttention-2 (Dao, 2023). Of several sequences in one tensor, whose lengths are not recorded, it is the least
// that they may cost: that of equal lengths.
#pragma once

#include <string_view>

#include "analysis/op_shapes/op_costs.h"

namespace cgpu {

bool is_attention(std::string_view op);
/// Nothing where a value that it depends on (whether the mask is causal) is not recorded.
OpCost attention_cost(std::string_view op, const RecordedInputs& inputs);

}  // namespace cgpu
