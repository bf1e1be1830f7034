#include "analysis/op_shapes/attention_cost.h"

#include <algorithm>
#include <array>
#include <span>

#include "analysis/op_shapes/count.h"

namespace cgpu {

namespace {

struct AttentionOp {
  std::string_view name;
  bool backward = false;
  bool heads_first = true;  // [batch, heads, tokens, size], else [batch, tokens, heads, size]
  size_t query = 0;         // place of Q; K and V follow it
  size_t causal = 0;        // place of what says whether the mask is causal
  enum class Mask : uint8_t { flag, bottom_right_flag, number } mask = Mask::flag;
};
using Mask = AttentionOp::Mask;

constexpr std::array kOps = {
    AttentionOp{"aten::scaled_dot_product_attention", false, true, 0, 5},
    AttentionOp{"aten::_scaled_dot_product_attention_math", false, true, 0, 5},
    AttentionOp{"aten::_scaled_dot_product_flash_attention", false, true, 0, 4},
    AttentionOp{"aten::_scaled_dot_product_flash_attention_for_cpu", false, true, 0, 4},
    AttentionOp{"aten::_scaled_dot_product_efficient_attention", false, true, 0, 6},
    AttentionOp{"aten::_scaled_dot_product_cudnn_attention", false, true, 0, 6},
    AttentionOp{"aten::_flash_attention_forward", false, false, 0, 8},
    AttentionOp{"aten::_efficient_attention_forward", false, false, 0, 9, Mask::number},
    AttentionOp{"flash_attn::_flash_attn_forward", false, false, 0, 5, Mask::bottom_right_flag},
    AttentionOp{"FlashAttnFunc", false, false, 0, 5, Mask::bottom_right_flag},
    AttentionOp{"aten::_scaled_dot_product_flash_attention_backward", true, true, 1, 11},
    AttentionOp{"aten::_scaled_dot_product_efficient_attention_backward", true, true, 1, 11},
    AttentionOp{"aten::_scaled_dot_product_cudnn_attention_backward", true, true, 1, 14},
    AttentionOp{"aten::_flash_attention_backward", true, false, 1, 11},
    AttentionOp{"aten::_efficient_attention_backward", true, false, 1, 14, Mask::number},
    AttentionOp{"flash_attn::_flash_attn_backward", true, false, 1, 11, Mask::bottom_right_flag},
};

const AttentionOp* find_op(std::string_view name) {
  const auto* found = std::find_if(kOps.begin(), kOps.end(), [&](const AttentionOp& op) { return op.name == name; });
  return found == kOps.end() ? nullptr : found;
}

enum class Triangle : uint8_t { none, top_left, bottom_right };

std::optional<Triangle> triangle_of(const AttentionOp& op, const RecordedInputs& inputs) {
  if (op.mask == Mask::number) {
    const auto number = inputs.integer(op.causal);
    if (!number || *number < 0 || *number > 2) return std::nullopt;
    return static_cast<Triangle>(*number);
  }
  const auto causal = inputs.flag(op.causal);
  if (!causal) return std::nullopt;
  if (!*causal) return Triangle::none;
  return op.mask == Mask::flag ? Triangle::top_left : Triangle::bottom_right;
}

/// Twice the area that a mask leaves of queries x keys.
Count twice_the_pairs(int64_t queries, int64_t keys, Triangle triangle) {
  const Count all = Count(queries) * keys * 2;
  if (triangle == Triangle::none) return all;
  const int64_t square = std::min(queries, keys);
  if (triangle == Triangle::top_left) return Count(square) * square + Count(queries - square) * keys * 2;
  return Count(square) * square + Count(queries) * (keys - square) * 2;
}

}  // namespace

bool is_attention(std::string_view op) {
  return find_op(op) != nullptr;
}

OpCost attention_cost(std::string_view name, const RecordedInputs& inputs) {
  const AttentionOp& op = *find_op(name);
  const auto q = inputs.tensor(op.query);
  const auto k = inputs.tensor(op.query + 1);
  const auto v = inputs.tensor(op.query + 2);
  if (!q || !k || !v) return {};
  const size_t rank = q->dims.size();
  // Sequences of different lengths in one tensor have one dimension less: what they cost depends on the lengths.
  if (rank < (op.heads_first ? 3 : 4) || k->dims.size() != rank || v->dims.size() != rank) return {};
  const size_t token_axis = rank - (op.heads_first ? 2 : 3);
  const size_t head_axis = rank - (op.heads_first ? 3 : 2);
  const int64_t queries = q->dims[token_axis];
  const int64_t keys = k->dims[token_axis];
  const int64_t size = q->dims[rank - 1];
  const int64_t value_size = v->dims[rank - 1];
  if (k->dims[rank - 1] != size || v->dims[token_axis] != keys) return {};
  const Count heads = product(std::span(q->dims).first(std::min(token_axis, head_axis))) * q->dims[head_axis];

  OpCost cost;
  const Count result = heads * queries * value_size * q->type.size;
  Count bytes = product(q->dims) * q->type.size + product(k->dims) * k->type.size + product(v->dims) * v->type.size;
  // The gradient of the result and the result are read, the gradients of Q, K and V written.
  bytes = op.backward ? bytes * 2 + result * 2 : bytes + result;
  cost.bytes = bytes.value();
  const auto triangle = triangle_of(op, inputs);
  if (!triangle) return cost;
  cost.settings = *triangle == Triangle::none ? "not causal" : "causal";
  const Count sizes = op.backward ? Count(size) * 3 + Count(value_size) * 2 : Count(size) + value_size;
  cost.flops = (heads * twice_the_pairs(queries, keys, *triangle) * sizes).value();
  cost.peak = q->type.peak;
  return cost;
}

}  // namespace cgpu
