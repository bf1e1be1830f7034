// What the formulas of the cost of an op are made of (op_costs.h).
#pragma once

#include <string_view>
#include <unordered_map>

#include "analysis/op_shapes/count.h"
#include "analysis/op_shapes/op_costs.h"

namespace cgpu {

struct CostFormula {
  OpCost (*cost)(const RecordedInputs& inputs);
  bool takes_values = false;  // whether it depends on inputs that are no tensors
};

using CostFormulas = std::unordered_map<std::string_view, CostFormula>;

inline Count elements(const Dims& dims) {
  return product(dims);
}
inline Count bytes_of(const Tensor& tensor) {
  return elements(tensor.dims) * tensor.type.size;
}

/// Of ops that read and write tensors of their inputs alone, each once: those that are given where their result goes.
OpCost moved_tensors(const RecordedInputs& inputs);

// The formulas of a subject.
void add_normalization_costs(CostFormulas& formulas);  // normalization_costs.cpp
void add_lookup_costs(CostFormulas& formulas);         // lookup_costs.cpp
void add_reduction_costs(CostFormulas& formulas);      // reduction_costs.cpp

}  // namespace cgpu
