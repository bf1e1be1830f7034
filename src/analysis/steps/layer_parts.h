// What the parts of a layer are called: by the class of a device op, by the modules that it lies in, or by what is
// around it in the sequence of a layer. And which phase of serving an annotation stands for.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/kernel_class.h"

namespace cgpu {

inline constexpr std::string_view kOtherPart = "other";

/// All that there are.
inline constexpr std::array<std::string_view, 17> kLayerParts = {
    kOtherPart,      "attention",   "MLP",         "normalization", "MoE router",
    "MoE",           "expert GEMM", "dispatch",    "combine",       "expert exchange",
    "communication", "state space", "convolution", "embedding",     "head",
    "loss",          "optimizer"};
/// The place of one of them.
uint32_t place_of_part(std::string_view part);

/// The part that a class of device ops is by itself ("attention", "expert GEMM", ...); "" where what is around it
/// decides (a matrix product can be of anything). `name` tells the two directions of an exchange of experts apart.
std::string_view part_of_class(KernelClass kernel_class, std::string_view name);

/// The part that a module is by its name ("Qwen3Attention_0", "mlp"); "" where that says nothing.
std::string_view part_of_module(std::string_view component);

struct LayerOp {
  KernelClass kernel_class = KernelClass::unknown;
  std::string_view name;
};
/// The parts of the device ops of one layer, in their order. A class that is a part by itself is that; what is
/// between two normalizations belongs to what is in there: attention, experts, a convolution, or else, where it has a
/// matrix product, the MLP.
std::vector<std::string_view> parts_of_sequence(const std::vector<LayerOp>& ops);

/// "prefill", "decode" or "mixed" for the annotations of a step that vLLM, SGLang and ATOM set; "" for all others.
std::string_view phase_of_annotation(std::string_view name);

}  // namespace cgpu
