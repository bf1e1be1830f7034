#include "readers/caliper/columns.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/contains.h"

namespace cgpu::caliper {

namespace {

/// Units in the spelling that the tables know.
std::string unit_of(const Attribute& attribute) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSpellings{
      {{"usec", "us"}, {"msec", "ms"}, {"nsec", "ns"}}};
  for (const auto& [caliper, ours] : kSpellings) {
    if (attribute.unit == caliper) return std::string(ours);
  }
  if (!attribute.unit.empty()) return attribute.unit;
  if (attribute.name.ends_with("time.duration.ns")) return "ns";
  // Of versions of Caliper that write no units, whose timer counts microseconds; scaled times are seconds.
  const bool is_scaled = contains(attribute.name, "scale#");
  for (const char* time : {"time.duration", "time.inclusive.duration"}) {
    if (attribute.name.ends_with(time)) return is_scaled ? "sec" : "us";
  }
  if (is_scaled && contains(attribute.name, "cupti.") && attribute.name.ends_with(".duration")) return "sec";
  return "";
}

}  // namespace

PathRole path_role(const Attribute& attribute) {
  const std::string_view name = attribute.name;
  if (name.starts_with("sourceloc#")) return PathRole::source;
  if (name.starts_with("module#")) return PathRole::module;
  if (name.ends_with(".activity.kind")) return PathRole::activity;
  if (name.ends_with(".kernel.name")) return PathRole::kernel;
  const bool is_level = attribute.nested || name == "path" || name.starts_with("source.function#callpath");
  return is_level ? PathRole::region : PathRole::none;
}

ColumnRole column_role(const Attribute& attribute) {
  const std::string_view name = attribute.name;
  if (name == "mpi.rank") return ColumnRole::rank;
  if (name == "omp.thread.id" || name == "pthread.id" || name == "thread.id") return ColumnRole::thread;
  if (name == "timeseries.snapshot") return ColumnRole::interval_number;
  if (name == "timeseries.starttime") return ColumnRole::interval_start;
  if (name == "timeseries.duration") return ColumnRole::interval_duration;
  if (name == "loop.iterations") return ColumnRole::interval_iterations;
  const bool is_no_quantity = attribute.hidden || name == "block" || name == "loop.start_iteration" ||
                              name.ends_with("aggregate.slot") || name == "Node order" ||
                              attribute.alias == "Node order" || name.starts_with("iteration#") ||
                              name.starts_with("cali.") || name.starts_with("event.") || contains(name, "time.offset");
  return is_no_quantity ? ColumnRole::ignored : ColumnRole::metric;
}

Combine combine_of(std::string_view name) {
  if (name.starts_with("min#")) return Combine::smallest;
  if (name.starts_with("max#") || contains(name, "highwatermark")) return Combine::largest;
  if (name.starts_with("any#")) return Combine::first;
  // Averages and ratios of parts say nothing of their whole.
  for (const char* operation : {"avg#", "percent", "ratio#", "variance#", "iratio#"}) {
    if (name.starts_with(operation)) return Combine::only;
  }
  return contains(name, "/") ? Combine::only : Combine::sum;
}

bool is_inclusive(std::string_view name) {
  return contains(name, "inclusive");
}

Metric metric_of(const Attribute& attribute) {
  Metric metric;
  metric.name = attribute.alias.empty() ? attribute.name : attribute.alias;
  metric.unit = unit_of(attribute);
  metric.about = "as Caliper recorded it: " + attribute.name;
  if (metric.name != attribute.name) metric.aliases.push_back(attribute.name);
  return metric;
}

}  // namespace cgpu::caliper
