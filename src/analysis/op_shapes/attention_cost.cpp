#include "analysis/op_shapes/attention_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "analysis/op_shapes/count.h"

namespace cgpu {

namespace {

constexpr size_t kNoPlace = SIZE_MAX;

struct AttentionOp {
  std::string_view name;
  bool backward = false;
  bool heads_first = true;  // [batch, heads, tokens, size], else [batch, tokens, heads, size]
  size_t query = 0;         // place of Q; K and V follow it
  size_t causal = 0;        // place of what says whether the mask is causal
  enum class Mask : uint8_t { flag, bottom_right_flag, number } mask = Mask::flag;
  size_t sequences = kNoPlace;  // place of where the sequences begin, where [tokens, heads, size] holds several
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
    AttentionOp{"aten::_cudnn_attention_forward", false, true, 0, 10},
    AttentionOp{"aten::_scaled_dot_product_fused_attention_overrideable", false, true, 0, 5},
    AttentionOp{"flash_attn_3::fwd", false, false, 0, 24, Mask::bottom_right_flag},
    AttentionOp{"aiter::_flash_attn_forward", false, false, 0, 5, Mask::bottom_right_flag},
    AttentionOp{"aiter::mha_fwd", false, false, 0, 5, Mask::bottom_right_flag},
    AttentionOp{"aiter::fmha_v3_fwd", false, false, 0, 5, Mask::bottom_right_flag},
    AttentionOp{"aiter::wrapper_fmha_v3_fwd", false, false, 0, 5, Mask::bottom_right_flag},
    AttentionOp{"flash_attn::_flash_attn_varlen_forward", false, false, 0, 9, Mask::bottom_right_flag, 3},
    AttentionOp{"flash_attn::_flash_attn_varlen_backward", true, false, 1, 15, Mask::bottom_right_flag, 9},
    AttentionOp{"FlashAttnVarlenFunc", false, false, 0, 9, Mask::bottom_right_flag, 3},
    AttentionOp{"aten::_cudnn_attention_backward", true, true, 1, 14},
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

struct AttentionShape {
  Count heads = 0;  // of all sequences
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t size = 0;
  int64_t value_size = 0;
  int64_t sequences = 1;  // in one tensor
};

std::optional<AttentionShape> shape_of(const AttentionOp& op, const Dims& q, const Dims& k, const Dims& v) {
  const size_t rank = q.size();
  // Sequences of different lengths in one tensor have one dimension less: what they cost depends on the lengths.
  if (rank < (op.heads_first ? 3 : 4) || k.size() != rank || v.size() != rank) return std::nullopt;
  const size_t token_axis = rank - (op.heads_first ? 2 : 3);
  const size_t head_axis = rank - (op.heads_first ? 3 : 2);
  if (k[rank - 1] != q[rank - 1] || v[token_axis] != k[token_axis]) return std::nullopt;
  return AttentionShape{product(std::span(q).first(std::min(token_axis, head_axis))) * q[head_axis], q[token_axis],
                        k[token_axis], q[rank - 1], v[rank - 1]};
}

/// Of [tokens, heads, size] that hold several sequences, whose lengths are not recorded, as if they were of one length:
/// any others have more pairs.
std::optional<AttentionShape> shape_of_sequences(const std::optional<Tensor>& begins, const Dims& q, const Dims& k,
                                                 const Dims& v) {
  if (!begins || begins->dims.size() != 1 || begins->dims[0] < 2) return std::nullopt;
  if (q.size() != 3 || k.size() != 3 || v.size() != 3 || k[2] != q[2] || v[0] != k[0]) return std::nullopt;
  const int64_t sequences = begins->dims[0] - 1;
  return AttentionShape{Count(q[1]) * sequences, q[0] / sequences, k[0] / sequences, q[2], v[2], sequences};
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
  const auto shape = op.sequences == kNoPlace
                         ? shape_of(op, q->dims, k->dims, v->dims)
                         : shape_of_sequences(inputs.tensor(op.sequences), q->dims, k->dims, v->dims);
  if (!shape) return {};
  OpCost cost;
  Count bytes = product(q->dims) * q->type.size + product(k->dims) * k->type.size + product(v->dims) * v->type.size;
  const Count of_result = shape->heads * shape->queries * shape->value_size * q->type.size;
  // The gradient of the result and the result are read, the gradients of Q, K and V written.
  bytes = op.backward ? bytes * 2 + of_result * 2 : bytes + of_result;
  cost.bytes = bytes.value();
  const auto triangle = triangle_of(op, inputs);
  if (!triangle) return cost;
  cost.settings = *triangle == Triangle::none ? "not causal" : "causal";
  if (shape->sequences > 1) cost.settings += fmt::format(", {} sequences", shape->sequences);
  const Count sizes =
      op.backward ? Count(shape->size) * 3 + Count(shape->value_size) * 2 : Count(shape->size) + shape->value_size;
  cost.flops = (shape->heads * twice_the_pairs(shape->queries, shape->keys, *triangle) * sizes).value();
  cost.peak = q->type.peak;
  return cost;
}

}  // namespace cgpu
