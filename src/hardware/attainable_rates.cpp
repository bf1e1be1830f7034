#include "hardware/attainable_rates.h"

#include <algorithm>

namespace cgpu {

namespace {

double* rate_of(std::vector<PeakRate>& rates, std::string_view type) {
  const auto found = std::find_if(rates.begin(), rates.end(), [&](const PeakRate& rate) { return rate.type == type; });
  return found == rates.end() ? nullptr : &found->flops;
}

void lower(std::optional<double>& least, std::optional<double> other) {
  if (other) least = std::min(least.value_or(*other), *other);
}

}  // namespace

std::optional<double> AttainableRates::flops_of(std::string_view type) const {
  for (const PeakRate& rate : flops) {
    if (rate.type == type) return rate.flops;
  }
  return std::nullopt;
}

AttainableRates attainable_rates(const DevicePeaks& peaks) {
  AttainableRates rates;
  rates.multiprocessors = peaks.multiprocessors;
  if (peaks.memory_bandwidth) rates.memory = kAttainableMemory * *peaks.memory_bandwidth;
  std::optional<double> measured_share;  // of the peak of bf16
  for (const PeakRate& measured : peaks.achievable) {
    const auto peak = peaks.flops_of(measured.type);
    if (peak && measured.type == "bf16") measured_share = measured.flops / *peak;
  }
  for (const PeakRate& peak : peaks.flops) {
    const bool of_vector_units = peak.type == "fp32" || peak.type == "fp64";
    const double share = of_vector_units ? kAttainableFlops : measured_share.value_or(kAttainableFlops);
    rates.flops.push_back({peak.type, share * peak.flops});
  }
  for (const PeakRate& measured : peaks.achievable) {
    if (double* rate = rate_of(rates.flops, measured.type)) *rate = measured.flops;
  }
  return rates;
}

AttainableRates least_attainable_rates(const std::vector<DevicePeaks>& devices) {
  AttainableRates least;
  for (const DevicePeaks& device : devices) {
    const AttainableRates rates = attainable_rates(device);
    lower(least.memory, rates.memory);
    if (rates.multiprocessors) {
      least.multiprocessors = std::min(least.multiprocessors.value_or(*rates.multiprocessors), *rates.multiprocessors);
    }
    for (const PeakRate& rate : rates.flops) {
      if (double* known = rate_of(least.flops, rate.type)) {
        *known = std::min(*known, rate.flops);
      } else {
        least.flops.push_back(rate);
      }
    }
  }
  return least;
}

}  // namespace cgpu
