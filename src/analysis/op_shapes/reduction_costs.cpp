// Reductions: every element is read once, a result written for each group that is reduced. Which dimensions these are
// is the second input ("[1]", "1"); without it all are.
#include <algorithm>
#include <optional>

#include "analysis/op_shapes/cost_formula.h"

namespace cgpu {

namespace {

OpCost reduction(const RecordedInputs& inputs, int64_t operations) {
  const auto x = inputs.tensor(0);
  if (!x) return {};
  auto dimensions = inputs.integers(1);
  if (!dimensions && inputs.integer(1)) dimensions = Dims{*inputs.integer(1)};
  const auto rank = static_cast<int64_t>(x->dims.size());
  Count results = 1;
  for (int64_t i = 0; dimensions && i < rank; ++i) {
    const bool is_reduced =
        dimensions->empty() ||
        std::any_of(dimensions->begin(), dimensions->end(), [&](int64_t one) { return one == i || one == i - rank; });
    if (!is_reduced) results = results * x->dims[static_cast<size_t>(i)];
  }
  OpCost cost;
  if (x->type.is_floating) cost.flops = (elements(x->dims) * operations).value();
  cost.bytes = (bytes_of(*x) + results * x->type.size).value();
  if (dimensions) {
    cost.settings = "over";
    for (const int64_t one : *dimensions) cost.settings += ' ' + std::to_string(one);
  }
  return cost;
}

OpCost sum(const RecordedInputs& inputs) {
  return reduction(inputs, 1);
}
/// The mean, then subtract, multiply and add.
OpCost variance(const RecordedInputs& inputs) {
  return reduction(inputs, 4);
}

}  // namespace

void add_reduction_costs(CostFormulas& formulas) {
  for (const char* op :
       {"aten::sum", "aten::mean", "aten::amax", "aten::amin", "aten::prod", "aten::argmax", "aten::argmin"}) {
    formulas[op] = {sum, true};
  }
  formulas["aten::var"] = {variance, true};
  formulas["aten::std"] = {variance, true};
}

}  // namespace cgpu
