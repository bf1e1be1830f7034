// Normalisations and their gradients: operations for each element of x. Forward x is read and a result of its size
// written; backward x and the gradient of the result are read and the gradient of x is written. What a batch
// normalisation needs over the whole batch is known only after a pass over it, so that training reads its inputs a
// second time, where they do not fit into a cache (Ioffe and Szegedy, 2015, algorithm 1 and its gradients).
#include <span>

#include "analysis/op_shapes/cost_formula.h"

namespace cgpu {

namespace {

/// x of the first input is read and a result of its shape written, with vectors for weight, bias and the like.
OpCost normalization(const RecordedInputs& inputs, int64_t operations, std::span<const size_t> vectors) {
  const auto x = inputs.tensor(0);
  if (!x) return {};
  Count bytes = bytes_of(*x) * 2;
  for (const size_t place : vectors) {
    if (const auto vector = inputs.tensor(place)) bytes = bytes + bytes_of(*vector);
  }
  OpCost cost;
  if (x->type.is_floating) cost.flops = (elements(x->dims) * operations).value();
  cost.bytes = bytes.value();
  return cost;
}

/// How many of these inputs there are.
int64_t given(const RecordedInputs& inputs, size_t a, size_t b) {
  return (inputs.tensor(a) ? 1 : 0) + (inputs.tensor(b) ? 1 : 0);
}

// Mean (one operation), variance (subtract, multiply, add), normalise (subtract, multiply), weight, bias.
OpCost layer_norm(const RecordedInputs& inputs) {
  constexpr size_t kVectors[] = {2, 3};
  return normalization(inputs, 6 + given(inputs, 2, 3), kVectors);
}
OpCost native_group_norm(const RecordedInputs& inputs) {
  constexpr size_t kVectors[] = {1, 2};
  return normalization(inputs, 6 + given(inputs, 1, 2), kVectors);
}
/// Mean of squares (multiply, add), normalise (multiply), weight.
OpCost rms_norm(const RecordedInputs& inputs) {
  constexpr size_t kVectors[] = {2};
  return normalization(inputs, 3 + (inputs.tensor(2) ? 1 : 0), kVectors);
}
/// Only training takes mean and variance of the batch.
OpCost batch_norm(const RecordedInputs& inputs) {
  constexpr size_t kTraining = 5;
  constexpr size_t kVectors[] = {1, 2, 3, 4};
  const auto trains = inputs.flag(kTraining);
  OpCost cost = normalization(inputs, (trains.value_or(false) ? 6 : 2) + given(inputs, 1, 2), kVectors);
  if (!trains) cost.flops.reset();
  if (trains) cost.settings = *trains ? "training" : "inference";
  const auto x = inputs.tensor(0);
  if (trains.value_or(true) && x) cost.read_again = bytes_of(*x).value();
  return cost;
}

/// The gradients for x, weight and bias: x normalised (2 operations), times weight (1), its two sums (3), the gradient
/// of x (4), those of weight (2) and bias (1).
OpCost gradients(const RecordedInputs& inputs) {
  constexpr int64_t kOperations = 13;
  const auto a = inputs.tensor(0);
  const auto b = inputs.tensor(1);
  if (!a || !b || a->dims != b->dims) return {};
  OpCost cost;
  if (a->type.is_floating) cost.flops = (elements(a->dims) * kOperations).value();
  Count bytes = bytes_of(*a) + bytes_of(*b) + bytes_of(*b);
  for (size_t place = 2; place < inputs.size(); ++place) {
    if (const auto vector = inputs.tensor(place)) bytes = bytes + bytes_of(*vector);
  }
  cost.bytes = bytes.value();
  return cost;
}
OpCost batch_norm_gradients(const RecordedInputs& inputs) {
  OpCost cost = gradients(inputs);
  if (cost.bytes) cost.read_again = (bytes_of(*inputs.tensor(0)) + bytes_of(*inputs.tensor(1))).value();
  return cost;
}

/// fused_add_rms_norm(x, residual, weight, ...): both are read and written.
OpCost added_rms_norm(const RecordedInputs& inputs) {
  const auto x = inputs.tensor(0);
  const auto residual = inputs.tensor(1);
  if (!x || !residual) return {};
  OpCost cost = moved_tensors(inputs);
  if (cost.bytes) cost.bytes = (Count(cost.bytes) + bytes_of(*x) + bytes_of(*residual)).value();
  return cost;
}

}  // namespace

void add_normalization_costs(CostFormulas& formulas) {
  formulas["aten::layer_norm"] = {layer_norm};
  formulas["aten::native_layer_norm"] = {layer_norm};
  formulas["aten::group_norm"] = {layer_norm};
  formulas["aten::native_group_norm"] = {native_group_norm};
  formulas["aten::rms_norm"] = {rms_norm};
  formulas["aten::_fused_rms_norm"] = {rms_norm};
  for (const char* op : {"aten::batch_norm", "aten::_batch_norm_impl_index", "aten::native_batch_norm",
                         "aten::cudnn_batch_norm", "aten::miopen_batch_norm"}) {
    formulas[op] = {batch_norm, true};
  }
  for (const char* op :
       {"aten::native_layer_norm_backward", "aten::native_group_norm_backward", "aten::_fused_rms_norm_backward"}) {
    formulas[op] = {gradients};
  }
  for (const char* op :
       {"aten::native_batch_norm_backward", "aten::cudnn_batch_norm_backward", "aten::miopen_batch_norm_backward"}) {
    formulas[op] = {batch_norm_gradients};
  }
  // Of vLLM, SGLang and aiter, which are given where the result goes.
  for (const char* op : {"_C::rms_norm", "sgl_kernel::rmsnorm"}) formulas[op] = {moved_tensors};
  for (const char* op : {"_C::fused_add_rms_norm", "sgl_kernel::fused_add_rmsnorm"}) formulas[op] = {added_rms_norm};
}

}  // namespace cgpu
