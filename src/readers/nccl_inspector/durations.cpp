#include "readers/nccl_inspector/durations.h"

#include <array>
#include <string>
#include <utility>

namespace cgpu::nccl_inspector {

namespace {

constexpr double kNsOfUs = 1e3;
constexpr double kBytesOfGbUs = 1e3;  // 1 GB/s for 1 us

/// In the largest unit in which it is a whole number, so that no two sizes have one text: "16 GiB", "4000 B".
std::string exact_bytes(int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr int64_t kStep = 1024;
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes > 0 && bytes % kStep == 0) {
    bytes /= kStep;
    ++unit;
  }
  return std::to_string(bytes) + " " + kUnits[unit];
}

Metric sum(const char* name, const char* unit, const char* about) {
  Metric metric;
  metric.name = name;
  metric.unit = unit;
  metric.about = about;
  return metric;
}

/// Bytes of a metric a second of the time.
Metric rate(const char* name, const char* about, MetricIndex bytes, MetricIndex time) {
  Metric metric = sum(name, "B/s", about);
  metric.additive = false;
  metric.parts = {bytes, time};
  metric.formula.push_operand(0);
  metric.formula.push_operand(1);
  metric.formula.push_constant(1e-9);
  metric.formula.push(Formula::Op::product, 2);
  metric.formula.push(Formula::Op::divide, 2);
  return metric;
}

}  // namespace

Durations::Durations()
    : time_(tree_.add_metric(sum("time", "ns", "time of the collectives, all ranks together"))),
      calls_(tree_.add_metric(sum("count", "", "collectives, each on each rank"))),
      bytes_(tree_.add_metric(sum("bytes", "B", "sizes of the messages"))),
      bus_bytes_(tree_.add_metric(sum("bus bytes", "B", "bytes over the links: bus bandwidth times time"))) {
  tree_.add_metric(rate("bandwidth", "bytes a second", bytes_, time_));
  tree_.add_metric(
      rate("bus bandwidth", "bytes a second over the links, as the plugin computes it", bus_bytes_, time_));
}

void Durations::add(const Duration& of) {
  ++count_;
  std::string group = "group " + of.group;
  if (!of.purpose.empty()) group += " (" + of.purpose + ")";
  if (of.ranks > 0) group += ", " + std::to_string(of.ranks) + " ranks";
  NodeIndex node = tree_.child_named(tree_.child_named(0, group), of.name);
  if (of.bytes >= 0) node = tree_.child_named(node, of.name + " of " + exact_bytes(of.bytes));
  const uint32_t by = profile(of.rank);
  tree_.add(by, time_, node, of.time_us * kNsOfUs);
  tree_.add(by, calls_, node, 1);
  if (of.bytes >= 0) tree_.add(by, bytes_, node, static_cast<double>(of.bytes));
  if (of.bus_bandwidth >= 0) tree_.add(by, bus_bytes_, node, of.bus_bandwidth * of.time_us * kBytesOfGbUs);
}

CallTree Durations::finish() {
  CallTree tree = tree_.finish();
  tree.main_metric = time_;
  return tree;
}

uint32_t Durations::profile(int64_t rank) {
  const auto [at, added] = profiles_.try_emplace(rank, 0);
  if (added) {
    CallProfile made;
    made.name = rank < 0 ? "unknown rank" : "rank " + std::to_string(rank);
    if (rank >= 0) made.rank = rank;
    at->second = tree_.add_profile(std::move(made));
  }
  return at->second;
}

}  // namespace cgpu::nccl_inspector
