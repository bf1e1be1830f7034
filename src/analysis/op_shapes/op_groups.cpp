#include "analysis/op_shapes/op_groups.h"

#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/host/op_forest.h"
#include "analysis/op_shapes/recorded_inputs.h"
#include "kernels/fp32_products.h"
#include "kernels/kernel_class.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

bool are_of_unlike_types(const RecordedInputs& inputs) {
  const auto a = inputs.tensor(0);
  const auto b = inputs.tensor(1);
  return a && b && std::tie(a->type.size, a->type.peak) != std::tie(b->type.size, b->type.peak);
}

/// Finds the group of an op from its texts; equal ones are parsed once.
class OpGrouping {
 public:
  OpGrouping(const Timeline& timeline, std::vector<OpGroups::Group>& groups)
      : names_(timeline.names), groups_(groups) {}

  uint32_t group_of(StringId name, const InputTexts& texts) {
    if (name >= takes_values_.size()) takes_values_.resize(names_.size(), kUnknown);
    if (takes_values_[name] == kUnknown) takes_values_[name] = cost_depends_on_values(names_[name]) ? 1 : 0;
    const bool takes_values = takes_values_[name] == 1;
    text_.assign(reinterpret_cast<const char*>(&name), sizeof name);
    const auto add = [&](std::string_view text) {
      text_ += text;
      text_ += '\0';
    };
    add(texts.shapes);
    add(texts.types);
    for (const std::string_view text : {texts.collective, texts.elements_in, texts.elements_out, texts.element_type}) {
      add(text);
    }
    if (takes_values) {
      add(texts.values);
      add(texts.output_shapes);
    }
    const auto [at, is_new] = of_text_.try_emplace(text_, OpGroups::kNoGroup);
    if (is_new) at->second = parse(name, texts);
    return at->second;
  }

 private:
  static constexpr int8_t kUnknown = -1;

  uint32_t parse(StringId name, const InputTexts& texts) {
    const RecordedInputs inputs(texts);
    OpCost cost = texts.elements_in.empty() ? op_cost(names_[name], inputs) : collective_cost(texts);
    OpKey key{std::string(names_[name]), inputs.shapes_text(), inputs.types_text(), cost.settings};
    const auto [at, is_new] = of_key_.try_emplace(key, static_cast<uint32_t>(groups_.size()));
    if (is_new) {
      const bool casts = names_[name] == "aten::copy_" && are_of_unlike_types(inputs);
      groups_.push_back({std::move(key), std::move(cost), casts});
    }
    return at->second;
  }

  const StringPool& names_;
  std::vector<OpGroups::Group>& groups_;
  std::vector<int8_t> takes_values_;  // by name
  std::string text_;
  std::unordered_map<std::string, uint32_t> of_text_;
  std::map<OpKey, uint32_t> of_key_;
};

/// Tells the two ways apart in which ops may have multiplied 32-bit floats, by the kernels that they launched; where
/// these do not say, or differ, it stays open. A kernel belongs to the innermost op around it that has a formula.
/// O(device ops times the depth of ops).
void tell_fp32_products(const Timeline& t, OpGroups& ops) {
  if (std::none_of(ops.groups.begin(), ops.groups.end(), [](const auto& one) { return one.cost.peak == kFp32; }))
    return;
  const std::vector<bool> has_formula = have_cost_formula(t.names);
  std::map<uint32_t, std::optional<Fp32Products>> found;  // by group
  std::vector<std::optional<Fp32Products>> of_name(t.names.size());
  for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
    const auto kernel_class = static_cast<KernelClass>(t.device_ops.kernel_class[op]);
    if (kernel_class != KernelClass::gemm && kernel_class != KernelClass::convolution &&
        kernel_class != KernelClass::attention) {
      return;
    }
    SliceIndex around = launch_of(t, slice);
    while (around != kNone && !has_formula[t.slices.name[around]]) around = t.slices.parent[around];
    const uint32_t group = around == kNone ? OpGroups::kNoGroup : ops.of_slice[around];
    if (group == OpGroups::kNoGroup || ops.groups[group].cost.peak != kFp32) return;
    std::optional<Fp32Products>& products = of_name[t.slices.name[slice]];
    if (!products) products = fp32_products_of(t.name(slice));
    std::optional<Fp32Products>& known = found[group];
    known = !known || *known == *products ? *products : Fp32Products::unknown;
  });
  for (const auto& [group, products] : found) {
    if (products == Fp32Products::tf32) ops.groups[group].cost.peak = kTf32;
    if (products == Fp32Products::vector_units) ops.groups[group].cost.peak = kFp32OnVectorUnits;
  }
}

}  // namespace

OpGroups group_ops(const Run& run, const std::vector<bool>* wanted) {
  const Timeline& timeline = run.timeline;
  const Slices& slices = timeline.slices;
  OpGroups ops;
  std::vector<SliceIndex> read;
  std::vector<uint64_t> sources;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (wanted != nullptr && !(*wanted)[slice]) continue;
    if (!is_framework_op(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
    read.push_back(slice);
    sources.push_back(slices.source[slice]);
  }
  ops.of_slice.assign(slices.size(), OpGroups::kNoGroup);
  OpGrouping grouping(timeline, ops.groups);
  ArgumentReader reader(run.arguments.get(), 0, InputKeys::wanted());
  const InputKeys keys(reader);
  reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
    const InputTexts texts = keys.texts(arguments);
    ops.any_inputs = ops.any_inputs || texts.has_inputs();
    ops.of_slice[read[i]] = grouping.group_of(slices.name[read[i]], texts);
  });
  tell_fp32_products(timeline, ops);
  return ops;
}

std::optional<double> matrix_rate(const DevicePeaks& peaks, std::string_view type) {
  if (type == kFp32OnVectorUnits) return peaks.flops_of(kFp32);
  if (type == kFp32 && peaks.flops_of(kTf32)) return std::nullopt;
  if (type == kFp32 || type == "fp64") {
    const auto matrix = peaks.flops_of(std::string(type) + "_tensor");
    return matrix ? matrix : peaks.flops_of(type);
  }
  return peaks.flops_of(type);
}

}  // namespace cgpu
