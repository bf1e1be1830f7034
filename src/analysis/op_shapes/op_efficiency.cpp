#include "analysis/op_shapes/op_efficiency.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/device/device_models.h"
#include "analysis/op_shapes/attention_cost.h"
#include "analysis/op_shapes/convolution_cost.h"
#include "base/contains.h"
#include "hardware/device_candidates.h"

namespace cgpu {

namespace {

/// Of products in a type (OpCost::peak): where it is not known how they are computed, the slower way.
std::optional<double> product_rate(const AttainableRates& rates, std::string_view type) {
  if (type == kFp32OnVectorUnits) return rates.flops_of(kFp32);
  if (type == kFp32) {
    const auto on_matrix_units = rates.flops_of("fp32_tensor");
    return on_matrix_units ? on_matrix_units : rates.flops_of(kFp32);
  }
  return rates.flops_of(type);
}

double attention_share(std::string_view op) {
  if (!is_attention(op)) return 1;
  return contains(op, "backward") ? kAttentionBackward : kAttentionForward;
}

/// Bytes that must be moved, with what is read once more.
double moved_bytes(const OpCost& cost) {
  return static_cast<double>(*cost.bytes + cost.read_again.value_or(0));
}

bool has_named_device(const Session& session) {
  return std::any_of(session.runs.begin(), session.runs.end(), [](const Run& run) {
    return std::any_of(run.devices.begin(), run.devices.end(), [](const Device& one) { return !one.name.empty(); });
  });
}

DeviceCandidates candidates_of(const Session& session) {
  DeviceCandidates candidates;
  for (const Run& run : session.runs) {
    for (const Device& device : run.devices) {
      if (device.sm_count) candidates.add_multiprocessors(*device.sm_count);
      if (device.vendor == "NVIDIA") candidates.add_compute_capability(device.compute_capability);
    }
    std::vector<bool> seen(run.timeline.names.size());
    for_each_device_op(run.timeline, [&](OpIndex op, SliceIndex slice) {
      const StringId name = run.timeline.slices.name[slice];
      if (run.timeline.device_ops.kind[op] != OpKind::compute || seen[name]) return;
      seen[name] = true;
      candidates.add_kernel(run.timeline.names[name]);
    });
  }
  return candidates;
}

std::string names_of(const std::vector<DevicePeaks>& devices) {
  constexpr size_t kMost = 6;
  if (devices.size() > kMost) return fmt::format("the slowest of {} known devices", devices.size());
  std::string names;
  for (size_t i = 0; i < devices.size(); ++i) {
    names += (i == 0 ? "" : i + 1 == devices.size() ? " or " : ", ") + devices[i].name;
  }
  return names;
}

/// What ops of the run reach themselves, where that is more: long ones, whose data fits into no cache.
void raise_to_own(AttainableRates& rates, const std::vector<CostedWork>& works) {
  constexpr int64_t kLong = 50'000;                       // ns
  constexpr int64_t kLarge = int64_t{512} * 1024 * 1024;  // bytes
  for (const CostedWork& work : works) {
    if (work.median_ns < kLong) continue;
    const auto ns = static_cast<double>(work.median_ns);
    if (work.cost.flops && !work.cost.peak.empty()) {
      const double reached = static_cast<double>(*work.cost.flops) / ns * 1e9;
      const auto known = std::find_if(rates.flops.begin(), rates.flops.end(),
                                      [&](const PeakRate& rate) { return rate.type == work.cost.peak; });
      if (known == rates.flops.end()) {
        rates.flops.push_back({work.cost.peak, reached});
      } else {
        known->flops = std::max(known->flops, reached);
      }
    }
    if (work.cost.bytes && *work.cost.bytes >= kLarge) {
      rates.memory = std::max(rates.memory.value_or(0), static_cast<double>(*work.cost.bytes) / ns * 1e9);
    }
  }
}

}  // namespace

DeviceRates device_rates(const Session& session, const std::vector<CostedWork>& works) {
  DeviceModels models;
  for (const Run& run : session.runs) models.add(run);
  DeviceRates rates;
  if (const auto peaks = models.peaks()) {
    rates.attainable = attainable_rates(*peaks);
    rates.device = peaks->name.empty() ? "the device" : peaks->name;
    rates.is_model = true;
    return rates;
  }
  if (!has_named_device(session)) {
    const DeviceCandidates candidates = candidates_of(session);
    const std::vector<DevicePeaks> devices = candidates.devices();
    std::set<std::string> architectures;
    for (const DevicePeaks& device : devices) architectures.insert(device.architecture);
    rates.is_narrow = architectures.size() <= 2;
    rates.attainable = least_attainable_rates(devices);
    for (const DevicePeaks& device : devices) rates.candidates.push_back(attainable_rates(device));
    rates.device = candidates.evidence().empty() ? names_of(devices)
                                                 : fmt::format("{} ({})", candidates.evidence(), names_of(devices));
  }
  raise_to_own(rates.attainable, works);
  return rates;
}

std::optional<OpEfficiency> efficiency_of(const CostedWork& work, const AttainableRates& rates) {
  const std::string& name = std::get<0>(work.key);
  const OpCost& cost = work.cost;
  const bool is_product = !cost.peak.empty() || is_attention(name) || is_convolution(name);
  if (!cost.bytes || !rates.memory || work.ops == 0 || work.lower_quartile_ns <= 0) return std::nullopt;
  double compute_ns = 0;
  double flops_rate = 0;
  if (is_product) {
    const auto rate = product_rate(rates, cost.peak);
    if (!cost.flops || !rate) return std::nullopt;
    flops_rate = *rate * attention_share(name);
    compute_ns = static_cast<double>(*cost.flops) / flops_rate * 1e9;
  }
  const double memory_ns = moved_bytes(cost) / *rates.memory * 1e9;
  const auto ns = static_cast<double>(work.ns) / static_cast<double>(work.ops);
  const double kernels = static_cast<double>(work.kernels) / static_cast<double>(work.ops);
  OpEfficiency found;
  found.by_memory = memory_ns >= compute_ns;
  found.attainable_ns = std::max(memory_ns, compute_ns) + kernels * kShortestKernelNs;
  found.share = found.attainable_ns / static_cast<double>(work.lower_quartile_ns);
  found.rate = (found.by_memory ? moved_bytes(cost) : static_cast<double>(*cost.flops)) / ns * 1e9;
  found.attainable_rate = found.by_memory ? *rates.memory : flops_rate;
  return found;
}

}  // namespace cgpu
