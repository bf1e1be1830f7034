#include "model/element_types.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>

namespace cgpu {

std::optional<ElementType> element_type(std::string_view type) {
  static const std::unordered_map<std::string_view, ElementType> types = {
      {"double", {8, "fp64", true}},      {"float64", {8, "fp64", true}},     {"fp64", {8, "fp64", true}},
      {"float", {4, "fp32", true}},       {"float32", {4, "fp32", true}},     {"fp32", {4, "fp32", true}},
      {"half", {2, "fp16", true}},        {"float16", {2, "fp16", true}},     {"fp16", {2, "fp16", true}},
      {"bfloat16", {2, "bf16", true}},    {"bf16", {2, "bf16", true}},        {"bfp16", {2, "bf16", true}},
      {"fp8", {1, "fp8", true}},          {"long", {8, "", false}},           {"long int", {8, "", false}},
      {"int64", {8, "", false}},          {"uint64", {8, "", false}},         {"int", {4, "", false}},
      {"int32", {4, "", false}},          {"uint32", {4, "", false}},         {"short", {2, "", false}},
      {"short int", {2, "", false}},      {"int16", {2, "", false}},          {"uint16", {2, "", false}},
      {"char", {1, "int8", false}},       {"byte", {1, "int8", false}},       {"signed char", {1, "int8", false}},
      {"int8", {1, "int8", false}},       {"uint8", {1, "int8", false}},      {"unsigned char", {1, "int8", false}},
      {"bool", {1, "", false}},           {"complexhalf", {4, "", false}},    {"complexfloat", {8, "", false}},
      {"complexdouble", {16, "", false}}, {"complex<float>", {8, "", false}}, {"complex<double>", {16, "", false}}};
  std::string lower(type);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower.starts_with("c10::")) lower.erase(0, 5);
  if (lower.starts_with("float8_")) return ElementType{1, "fp8", true};
  const auto found = types.find(lower);
  if (found == types.end()) return {};
  return found->second;
}

std::optional<int64_t> element_size(std::string_view type) {
  const std::optional<ElementType> found = element_type(type);
  return found ? std::optional(found->size) : std::nullopt;
}

}  // namespace cgpu
