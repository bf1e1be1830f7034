#include "readers/hpctoolkit/sample_values.h"

#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

namespace cgpu::hpctoolkit {

namespace {

/// A smaller one may be by chance; perf and PAPI sample at periods of many more events.
constexpr int64_t kLeastPeriod = 1000;
constexpr double kMostExact = 9007199254740992;  // 2^53

/// The one value that a setting has everywhere; absent where it differs.
std::optional<double> setting(const CallTree& tree, std::string_view name) {
  const std::optional<MetricIndex> metric = tree.find_metric(name);
  if (!metric || tree.metrics[*metric].value.empty()) return std::nullopt;
  const std::vector<double>& values = tree.metrics[*metric].value;
  for (const double value : values) {
    if (!(value > 0) || value != values.front()) return std::nullopt;
  }
  return values.front();
}

/// What all values are whole multiples of; absent where that is less than a period.
std::optional<double> common_divisor(const std::vector<double>& values) {
  int64_t divisor = 0;
  for (const double value : values) {
    if (!(std::abs(value) < kMostExact) || value != std::floor(value)) return std::nullopt;
    divisor = std::gcd(divisor, static_cast<int64_t>(value));
    if (divisor > 0 && divisor < kLeastPeriod) return std::nullopt;
  }
  if (divisor == 0) return std::nullopt;
  return static_cast<double>(divisor);
}

bool is_counted_event(const Metric& metric) {
  return metric.name.starts_with("perf::") || metric.name.starts_with("PAPI_") ||
         metric.about.starts_with("PERF_COUNT_");
}

bool is_sampled_on_device(const Metric& metric) {
  return metric.name == "GINS" || metric.name.starts_with("GINS:STL_");
}

}  // namespace

void find_sample_values(CallTree& tree) {
  const std::optional<double> device_period = setting(tree, "GSAMP:PER");
  for (Metric& metric : tree.metrics) {
    if (!metric.measured()) continue;
    if (is_sampled_on_device(metric)) metric.sample_value = device_period;
    if (is_counted_event(metric)) metric.sample_value = common_divisor(metric.value);
  }
}

}  // namespace cgpu::hpctoolkit
