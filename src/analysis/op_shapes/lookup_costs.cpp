// Ops that look up rows of a table by indices: each row is read and written once, each index read once. Their addresses
// are computed, nothing else.
#include <string>

#include "analysis/op_shapes/cost_formula.h"

namespace cgpu {

namespace {

/// embedding(weight [rows, D], indices): a row is read and written for each index.
OpCost embedding(const RecordedInputs& inputs) {
  const auto weight = inputs.tensor(0);
  const auto indices = inputs.tensor(1);
  if (!weight || !indices || weight->dims.size() != 2) return {};
  OpCost cost;
  cost.bytes = (elements(indices->dims) * weight->dims[1] * weight->type.size * 2 + bytes_of(*indices)).value();
  return cost;
}

/// embedding_dense_backward(gradient, indices, rows, ...): a whole table is written.
OpCost embedding_backward(const RecordedInputs& inputs) {
  const auto gradient = inputs.tensor(0);
  const auto indices = inputs.tensor(1);
  const auto rows = inputs.integer(2);
  if (!gradient || !indices || !rows || gradient->dims.empty()) return {};
  OpCost cost;
  cost.bytes =
      (bytes_of(*gradient) + bytes_of(*indices) + Count(*rows) * gradient->dims.back() * gradient->type.size).value();
  cost.settings = std::to_string(*rows) + " rows";
  return cost;
}

/// _embedding_bag(weight [rows, D], indices, offsets): a row is read for each index, the sum of each bag written.
OpCost embedding_bag(const RecordedInputs& inputs) {
  const auto weight = inputs.tensor(0);
  const auto indices = inputs.tensor(1);
  const auto offsets = inputs.tensor(2);
  if (!weight || !indices || !offsets || weight->dims.size() != 2) return {};
  const Count row = Count(weight->dims[1]) * weight->type.size;
  OpCost cost;
  if (weight->type.is_floating) cost.flops = (elements(indices->dims) * weight->dims[1]).value();
  cost.bytes =
      (elements(indices->dims) * row + elements(offsets->dims) * row + bytes_of(*indices) + bytes_of(*offsets)).value();
  return cost;
}

/// index_select(x, dimension, indices): a slice is read and written for each index.
OpCost index_select(const RecordedInputs& inputs) {
  const auto x = inputs.tensor(0);
  const auto dimension = inputs.integer(1);
  const auto indices = inputs.tensor(2);
  if (!x || !dimension || !indices) return {};
  const auto rank = static_cast<int64_t>(x->dims.size());
  const int64_t axis = *dimension < 0 ? *dimension + rank : *dimension;
  if (axis < 0 || axis >= rank) return {};
  Count slice = x->type.size;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != axis) slice = slice * x->dims[static_cast<size_t>(i)];
  }
  OpCost cost;
  cost.bytes = (elements(indices->dims) * slice * 2 + bytes_of(*indices)).value();
  cost.settings = "dimension " + std::to_string(axis);
  return cost;
}

/// gather(x, dimension, indices): an element is read and written for each index.
OpCost gather(const RecordedInputs& inputs) {
  const auto x = inputs.tensor(0);
  const auto indices = inputs.tensor(2);
  if (!x || !indices) return {};
  OpCost cost;
  cost.bytes = (elements(indices->dims) * x->type.size * 2 + bytes_of(*indices)).value();
  return cost;
}

}  // namespace

void add_lookup_costs(CostFormulas& formulas) {
  formulas["aten::embedding"] = {embedding};
  formulas["aten::embedding_dense_backward"] = {embedding_backward, true};
  formulas["aten::_embedding_bag"] = {embedding_bag};
  formulas["aten::_embedding_bag_forward_only"] = {embedding_bag};
  formulas["aten::index_select"] = {index_select, true};
  formulas["aten::gather"] = {gather};
}

}  // namespace cgpu
