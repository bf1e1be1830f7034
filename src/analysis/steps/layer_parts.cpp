#include "analysis/steps/layer_parts.h"

#include <algorithm>

#include "analysis/common/name_rules.h"
#include "base/contains.h"

namespace cgpu {

uint32_t place_of_part(std::string_view part) {
  const auto at = std::find(kLayerParts.begin(), kLayerParts.end(), part);
  return at == kLayerParts.end() ? 0 : static_cast<uint32_t>(at - kLayerParts.begin());
}

std::string_view part_of_class(KernelClass kernel_class, std::string_view name) {
  switch (kernel_class) {
    case KernelClass::collective:
    case KernelClass::custom_collective:
      return "communication";
    case KernelClass::expert_exchange:
      return contains(name, "ombine") ? "combine" : contains(name, "ispatch") ? "dispatch" : "expert exchange";
    case KernelClass::kv_cache:
    case KernelClass::rope:
    case KernelClass::attention:
      return "attention";
    case KernelClass::embedding:
      return "embedding";
    case KernelClass::normalization:
      return "normalization";
    case KernelClass::moe_routing:
      return "MoE router";
    case KernelClass::moe_gemm:
      return "expert GEMM";
    case KernelClass::state_space:
      return "state space";
    case KernelClass::convolution:
      return "convolution";
    case KernelClass::optimizer:
      return "optimizer";
    default:
      return "";
  }
}

std::string_view part_of_module(std::string_view component) {
  return label_of(NameList::layer_part, component);
}

std::vector<std::string_view> parts_of_sequence(const std::vector<LayerOp>& ops) {
  std::vector<std::string_view> parts(ops.size());
  for (size_t begin = 0; begin < ops.size();) {
    // Up to the next normalization; one right behind a scan of states is part of that (a gated norm before the last
    // product).
    const auto is_border = [&](size_t i) {
      return ops[i].kernel_class == KernelClass::normalization && ops[i - 1].kernel_class != KernelClass::state_space;
    };
    size_t end = begin + 1;
    while (end < ops.size() && !is_border(end)) ++end;
    const auto has = [&](std::initializer_list<KernelClass> classes) {
      return std::any_of(ops.begin() + static_cast<std::ptrdiff_t>(begin),
                         ops.begin() + static_cast<std::ptrdiff_t>(end), [&](const LayerOp& op) {
                           return std::find(classes.begin(), classes.end(), op.kernel_class) != classes.end();
                         });
    };
    std::string_view rest = kOtherPart;
    if (has({KernelClass::attention})) {
      rest = "attention";
    } else if (has({KernelClass::state_space})) {
      rest = "state space";
    } else if (has({KernelClass::moe_gemm, KernelClass::moe_routing, KernelClass::expert_exchange})) {
      rest = "MoE";
    } else if (has({KernelClass::convolution})) {
      rest = "convolution";
    } else if (has({KernelClass::gemm})) {
      rest = "MLP";
    }
    for (size_t i = begin; i < end; ++i) {
      const std::string_view own = part_of_class(ops[i].kernel_class, ops[i].name);
      parts[i] = own.empty() ? rest : own;
    }
    begin = end;
  }
  return parts;
}

std::string_view phase_of_annotation(std::string_view name) {
  return label_of(NameList::phase, name);
}

}  // namespace cgpu
