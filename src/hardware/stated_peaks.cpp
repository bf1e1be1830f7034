#include "hardware/stated_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"

namespace cgpu {

namespace {

constexpr std::string_view kMemory = "memory";
constexpr std::string_view kLink = "link";
constexpr std::array<std::string_view, 11> kNames = {kMemory, kLink,  "fp64", "fp64_tensor", "fp32", "fp32_tensor",
                                                     "tf32",  "fp16", "bf16", "fp8",         "int8"};

std::optional<double> scale_of(std::string_view prefix) {
  if (prefix.empty()) return 1;
  constexpr std::string_view kPrefixes = "KMGTP";
  const size_t power = kPrefixes.find(prefix[0] == 'k' ? 'K' : prefix[0]);
  if (prefix.size() != 1 || power == std::string_view::npos) return std::nullopt;
  double scale = 1000;
  for (size_t i = 0; i < power; ++i) scale *= 1000;
  return scale;
}

/// "2TB/s", "400 TFLOP/s", "4e14"; absent where it is no positive rate of this unit.
std::optional<double> rate_of(std::string_view text, bool is_of_bytes) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number > 0) || number > 1e30) return std::nullopt;
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  constexpr std::array<std::string_view, 5> kRates = {"FLOP/s", "FLOPS", "OP/s", "OPS", "B/s"};
  for (const std::string_view rate : kRates) {
    if (!unit.ends_with(rate)) continue;
    if (is_of_bytes != (rate == "B/s")) return std::nullopt;
    unit.remove_suffix(rate.size());
    break;
  }
  const auto scale = scale_of(unit);
  return scale ? std::optional(number * *scale) : std::nullopt;
}

}  // namespace

StatedPeaks parse_stated_peaks(std::string_view text, std::string_view option) {
  StatedPeaks peaks;
  const auto refuse = [&](std::string_view part) {
    throw Error(fmt::format("{} {}: not NAME=RATE such as bf16=400TFLOP/s or memory=2TB/s (names: {})", option, part,
                            fmt::join(kNames, ", ")));
  };
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) refuse(part);
    const std::string_view name = part.substr(0, equals);
    const auto rate = rate_of(part.substr(equals + 1), name == kMemory || name == kLink);
    if (!rate || std::find(kNames.begin(), kNames.end(), name) == kNames.end()) refuse(part);
    peaks.emplace_back(name, *rate);
    begin = end + 1;
  }
  return peaks;
}

std::optional<DevicePeaks> find_device_peaks(std::string_view device_name, const StatedPeaks& stated) {
  std::optional<DevicePeaks> peaks = find_device_peaks(device_name);
  if (stated.empty()) return peaks;
  if (!peaks) peaks.emplace().name = device_name;
  std::string source = "stated by the user:";
  for (const auto& [name, rate] : stated) {
    source += source.ends_with(':') ? " " + name : ", " + name;
    if (name == kMemory || name == kLink) {
      (name == kMemory ? peaks->memory_bandwidth : peaks->link_bandwidth) = rate;
      continue;
    }
    const auto known = std::find_if(peaks->flops.begin(), peaks->flops.end(),
                                    [&, type = name](const PeakRate& peak) { return peak.type == type; });
    if (known == peaks->flops.end()) {
      peaks->flops.push_back({name, rate});
    } else {
      known->flops = rate;
    }
  }
  peaks->source = peaks->source.empty() ? source : source + "; the rest: " + peaks->source;
  return peaks;
}

}  // namespace cgpu
