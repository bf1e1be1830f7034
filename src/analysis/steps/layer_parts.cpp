#include "analysis/steps/layer_parts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/contains.h"

namespace cgpu {

namespace {

struct Keyword {
  std::string_view text;
  std::string_view part;
};
// In this order: "self_attn_layer_norm" is a normalization, "MoEGate" a router.
constexpr std::array kKeywords = {Keyword{"norm", "normalization"},
                                  Keyword{"router", "MoE router"},
                                  Keyword{"moegate", "MoE router"},
                                  Keyword{"topk", "MoE router"},
                                  Keyword{"attention", "attention"},
                                  Keyword{"attn", "attention"},
                                  Keyword{"mixer", "state space"},
                                  Keyword{"mamba", "state space"},
                                  Keyword{"moe", "MoE"},
                                  Keyword{"expert", "MoE"},
                                  Keyword{"mlp", "MLP"},
                                  Keyword{"feedforward", "MLP"},
                                  Keyword{"feed_forward", "MLP"},
                                  Keyword{"ffn", "MLP"},
                                  Keyword{"intermediate", "MLP"},
                                  Keyword{"embed", "embedding"},
                                  Keyword{"lm_head", "head"},
                                  Keyword{"lmhead", "head"},
                                  Keyword{"logits", "head"},
                                  Keyword{"classifier", "head"},
                                  Keyword{"conv", "convolution"},
                                  Keyword{"loss", "loss"}};

/// The number behind `word`, if `text` goes on with one there.
std::optional<int64_t> number_behind(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t number = 0;
  const char* begin = text.data() + at + word.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  return error == std::errc() && end != begin ? std::optional(number) : std::nullopt;
}

}  // namespace

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
  const std::string lower = lower_case(component);
  for (const Keyword& keyword : kKeywords) {
    if (contains(lower, keyword.text)) return keyword.part;
  }
  return "";
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
  if (name.starts_with("step[")) {  // SGLang: step[EXTEND bs=15 toks=15360]
    if (name.starts_with("step[EXTEND") || name.starts_with("step[PREFILL")) return "prefill";
    if (name.starts_with("step[DECODE")) return "decode";
    return name.starts_with("step[MIXED") ? "mixed" : "";
  }
  if (name.starts_with("prefill[")) return "prefill";  // ATOM
  if (name.starts_with("decode[")) return "decode";
  if (!name.starts_with("execute_")) return "";
  const auto prefill = number_behind(name, "context_");  // vLLM: execute_context_1(888)_generation_0(0)
  const auto decode = number_behind(name, "_generation_");
  if (!prefill || !decode || (*prefill == 0 && *decode == 0)) return "";
  if (*prefill == 0) return "decode";
  return *decode == 0 ? "prefill" : "mixed";
}

}  // namespace cgpu
