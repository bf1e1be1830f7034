#include "readers/ncu/printed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json_text.h"
#include "base/parse_number.h"
#include "readers/ncu/figures.h"

namespace cgpu::ncu {

std::optional<int64_t> printed_integer(std::string_view text) {
  return parse_number(text);
}

std::optional<double> printed_number(std::string_view text, int exponent) {
  std::string digits;
  const size_t end_of_whole = std::min(text.find('.'), text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      digits.push_back(text[i]);
    } else if (i == 0 || i > end_of_whole || (end_of_whole - i) % 4 != 0) {
      return std::nullopt;
    }
  }
  if (exponent != 0) digits += fmt::format("e{}", exponent);
  const auto value = parse_number<double>(digits);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::array<int64_t, 3>> printed_extent(std::string_view text) {
  std::array<int64_t, 3> sizes{};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t digit = text.find_first_of("0123456789");
    if (digit == std::string_view::npos) return std::nullopt;
    text.remove_prefix(digit);
    const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto size = printed_integer(text.substr(0, end));
    if (!size) return std::nullopt;
    sizes[i] = *size;
    text.remove_prefix(end);
  }
  return sizes;
}

const char* severity_of(std::string_view type) {
  if (type == "OPT") return "optimization";
  if (type == "WRN") return "warning";
  if (type == "ERR") return "error";
  return "information";
}

void add_metric(Run& run, ProfiledLaunch& launch, const std::string& section, const std::string& label,
                std::string_view unit, std::string_view value) {
  if (value.empty() || value == "n/a" || value == "nan" || value == "-nan" || value == "inf") return;
  StringPool& names = run.launch_metrics->names;
  const std::string_view name = metric_of_label(section, label);
  const Scale scale = scale_of_unit(unit);
  MetricValue metric;
  metric.name = names.intern(name.empty() ? valid_utf8(label) : name);
  metric.section = names.intern(valid_utf8(section));
  metric.unit = names.intern(valid_utf8(scale.unit));
  metric.number = printed_number(value, scale.exponent);
  if (!metric.number) {
    if (!unit.empty()) {
      run.notes.add("invalid_number", 1, "values with a unit are no numbers and were kept as texts");
    }
    metric.text = names.intern(valid_utf8(value));
  }
  launch.metrics.push_back(metric);
}

void add_device(Run& run, const ProfiledLaunch& launch, std::string_view capability) {
  if (!launch.device) return;
  const auto same = [&](const Device& other) { return other.id == *launch.device; };
  if (std::any_of(run.devices.begin(), run.devices.end(), same)) return;
  Device device;
  device.id = *launch.device;
  device.vendor = "NVIDIA";
  device.compute_capability = valid_utf8(capability);
  run.devices.push_back(std::move(device));
}

}  // namespace cgpu::ncu
