#include "analysis/op_shapes/expert_cost.h"

#include <fmt/format.h>

#include <array>

#include "analysis/op_shapes/cost_formula.h"
#include "base/contains.h"

namespace cgpu {

bool is_expert_product(std::string_view op) {
  constexpr std::array<std::string_view, 5> kParts = {"fused_moe", "fused_experts", "fmoe", "ck_moe", "asm_moe"};
  for (const std::string_view part : kParts) {
    if (contains(op, part)) return true;
  }
  return false;
}

OpCost expert_cost(const RecordedInputs& inputs) {
  const auto tokens = inputs.tensor(0);
  const auto first = inputs.tensor(1);
  const auto second = inputs.tensor(2);
  if (!tokens || !first || !second || tokens->dims.size() != 2 || first->dims.size() != 3 || second->dims.size() != 3)
    return {};
  const int64_t count = tokens->dims[0];
  const int64_t width = tokens->dims[1];
  const int64_t experts = first->dims[0];
  const int64_t inner = second->dims[2];
  if (first->dims[2] != width || second->dims[0] != experts || second->dims[1] != width) return {};
  if (first->dims[1] != inner && Count(first->dims[1]).value() != (Count(inner) * 2).value()) return {};
  std::optional<int64_t> each;  // experts of a token
  for (size_t place = 3; place < inputs.size() && !each; ++place) {
    const auto choice = inputs.tensor(place);
    if (choice && choice->dims.size() == 2 && choice->dims[0] == count && choice->dims[1] <= experts)
      each = choice->dims[1];
  }
  if (!each) return {};
  const Count of_expert = Count(first->dims[1]) * width + Count(inner) * width;
  OpCost cost;
  cost.flops = (Count(*each) * count * of_expert * 2).value();
  cost.bytes = (Count(*each) * of_expert * first->type.size + bytes_of(*tokens) * 2).value();
  cost.peak = first->type.peak;
  cost.settings = fmt::format("{} of {} experts a token", *each, experts);
  return cost;
}

}  // namespace cgpu
