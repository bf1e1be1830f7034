#include "analysis/op_shapes/op_groups.h"

#include <map>
#include <unordered_map>

#include "analysis/host/op_forest.h"
#include "analysis/op_shapes/recorded_inputs.h"

namespace cgpu {

namespace {

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
    if (is_new) groups_.push_back({std::move(key), std::move(cost)});
    return at->second;
  }

  const StringPool& names_;
  std::vector<OpGroups::Group>& groups_;
  std::vector<int8_t> takes_values_;  // by name
  std::string text_;
  std::unordered_map<std::string, uint32_t> of_text_;
  std::map<OpKey, uint32_t> of_key_;
};

}  // namespace

OpGroups group_ops(const Run& run) {
  const Timeline& timeline = run.timeline;
  const Slices& slices = timeline.slices;
  OpGroups ops;
  std::vector<SliceIndex> wanted;
  std::vector<uint64_t> sources;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_framework_op(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
    wanted.push_back(slice);
    sources.push_back(slices.source[slice]);
  }
  ops.of_slice.assign(slices.size(), OpGroups::kNoGroup);
  OpGrouping grouping(timeline, ops.groups);
  ArgumentReader reader(run.arguments.get(), 0, InputKeys::wanted());
  const InputKeys keys(reader);
  reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
    const InputTexts texts = keys.texts(arguments);
    ops.any_inputs = ops.any_inputs || texts.has_inputs();
    ops.of_slice[wanted[i]] = grouping.group_of(slices.name[wanted[i]], texts);
  });
  return ops;
}

std::optional<double> matrix_rate(const DevicePeaks& peaks, std::string_view type) {
  const auto rate = [&](std::string_view wanted) -> std::optional<double> {
    for (const PeakRate& known : peaks.flops) {
      if (known.type == wanted) return known.flops;
    }
    return std::nullopt;
  };
  if (type == "fp32" && rate("tf32")) return std::nullopt;
  if (type == "fp32" || type == "fp64") {
    const auto matrix = rate(std::string(type) + "_tensor");
    return matrix ? matrix : rate(type);
  }
  return rate(type);
}

}  // namespace cgpu
