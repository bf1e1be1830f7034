#include "gate/figures/comparable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "table/units.h"

namespace cgpu {

namespace {

constexpr double kSameShapes = 0.5;
constexpr double kSameClock = 0.03;
constexpr double kSameWork = 0.01;

size_t complete_iterations(const RunFigures& figures) {
  size_t count = 0;
  for (const auto& [number, iteration] : figures.iterations) count += iteration.complete ? 1 : 0;
  return count;
}

/// All of them are of some class. Of what repeats those of one repetition: it does so as often as the recording is
/// long.
double device_ops(const RunFigures& figures) {
  int64_t count = 0;
  for (const auto& [name, figure] : figures.classes) count += figure.count;
  return static_cast<double>(count) / static_cast<double>(figures.by_repetition ? figures.steady : 1);
}

}  // namespace

std::string devices_text(const RunFigures& figures) {
  std::string text;
  for (const auto& [name, count] : figures.devices) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, name.empty() ? "unnamed device" : name);
  }
  if (text.empty()) text = "no device";
  if (figures.world_size > figures.ranks) {
    text += fmt::format(", {} of {} ranks", figures.ranks, figures.world_size);
  } else if (figures.ranks > 1) {
    text += fmt::format(", {} ranks", figures.ranks);
  }
  return text;
}

std::vector<Difference> differences_between(const RunFigures& a, const RunFigures& b) {
  std::vector<Difference> differences;
  if (a.devices != b.devices || a.ranks != b.ranks || a.world_size != b.world_size) {
    differences.push_back({"devices", fmt::format("{} against {}", devices_text(a), devices_text(b))});
  }

  int64_t common_ns = 0;
  int64_t same_ns = 0;
  std::pair<int64_t, std::string> largest;
  for (const auto& [op, shape] : a.shapes) {
    const auto other = b.shapes.find(op);
    if (other == b.shapes.end()) continue;
    const int64_t both = shape.device_ns / 2 + other->second.device_ns / 2;
    common_ns += both;
    if (shape.shapes == other->second.shapes) {
      same_ns += both;
    } else {
      largest = std::max(largest, {both, op});
    }
  }
  if (common_ns > 0 && static_cast<double>(same_ns) < kSameShapes * static_cast<double>(common_ns)) {
    differences.push_back(
        {"shapes",
         fmt::format("ops with {} of the device time were called with other shapes, {} among them",
                     format_percent(100 * (1 - static_cast<double>(same_ns) / static_cast<double>(common_ns))),
                     largest.second)});
  }

  const size_t iterations_a = a.by_repetition ? 0 : complete_iterations(a);
  const size_t iterations_b = b.by_repetition ? 0 : complete_iterations(b);
  if (iterations_a != iterations_b) {
    differences.push_back({"iterations", fmt::format("{} iterations against {}", iterations_a, iterations_b)});
  } else if (iterations_a == 0) {
    const double ops_a = device_ops(a);
    const double ops_b = device_ops(b);
    if (std::abs(ops_a - ops_b) > kSameWork * std::max(ops_a, ops_b)) {
      const auto count = [](double ops) { return format_count(static_cast<int64_t>(std::round(ops))); };
      differences.push_back(
          {"iterations", fmt::format("without iterations the amount of work shows in the device ops{}: {} against {}",
                                     a.by_repetition ? " of what repeats" : "", count(ops_a), count(ops_b))});
    }
  }

  for (const auto& [counter, hertz] : a.clocks) {
    const auto other = b.clocks.find(counter);
    if (other == b.clocks.end()) continue;
    if (std::abs(hertz - other->second) <= kSameClock * std::max(hertz, other->second)) continue;
    differences.push_back({"clocks", fmt::format("{}: {} against {}", counter, format_rate(hertz, "Hz"),
                                                 format_rate(other->second, "Hz"))});
    break;
  }
  return differences;
}

}  // namespace cgpu
