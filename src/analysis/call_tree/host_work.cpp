#include "analysis/call_tree/host_work.h"

#include <algorithm>
#include <cmath>

#include "table/units.h"

namespace cgpu {

namespace {

std::string_view name_in(const CallTree& tree, StringId id) {
  return id == 0 ? std::string_view() : tree.names[id];
}

}  // namespace

SampledWork sampled_work_of(const CallTree& tree) {
  const CallNodes& nodes = tree.nodes;
  SampledWork work;
  work.functions = functions_of(tree);
  for (const NodeIndex example : work.functions.example) {
    const NodeKind kind = nodes.kind[example];
    const bool is_start = kind == NodeKind::root || kind == NodeKind::entry;
    work.role.push_back(is_start ? FrameRole::runtime
                                 : frame_role(tree.name_of(example), name_in(tree, nodes.module[example]),
                                              name_in(tree, nodes.file[example])));
  }
  work.worker.resize(nodes.size(), kNoFunction);
  work.activity.resize(nodes.size(), FrameRole::user);
  work.started_by.resize(nodes.size(), kNoNode);
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    const NodeIndex parent = nodes.parent[node];
    if (parent != kNoNode) {
      work.worker[node] = work.worker[parent];
      work.activity[node] = work.activity[parent];
      work.started_by[node] = work.started_by[parent];
    }
    if (work.started_by[node] != kNoNode || !work.functions.is_function(tree, node)) continue;
    const FunctionIndex function = work.functions.function[node];
    if (is_activity(work.role[function])) {
      work.activity[node] = work.role[function];
      work.started_by[node] = node;
    } else if (work.role[function] == FrameRole::user) {
      work.worker[node] = function;
    }
  }
  return work;
}

void WorkSums::add(const CallTree& tree, const SampledWork& work, MetricIndex metric) {
  const std::vector<double> inclusive = inclusive_values(tree, metric);
  const std::vector<double> exclusive = exclusive_values(tree, metric);
  const auto name_of = [&](FunctionIndex function) {
    return function == kNoFunction ? std::string() : tree.name_of(work.functions.example[function]);
  };
  if (std::isfinite(inclusive[0])) whole += inclusive[0];
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
    const FunctionIndex function = work.functions.function[node];
    const FunctionIndex worker = work.worker[node];
    if (work.functions.outermost[node] && worker == function && std::isfinite(inclusive[node])) {
      functions[name_of(function)].inclusive += inclusive[node];
    }
    const bool is_idle = worker == kNoFunction && work.activity[node] != FrameRole::garbage_collection;
    if (work.started_by[node] == node && !is_idle && std::isfinite(inclusive[node])) {
      OfActivity& activity = activities[work.activity[node]];
      activity.value += inclusive[node];
      activity.entries[tree.name_of(node)] += inclusive[node];
      activity.callers[name_of(worker)] += inclusive[node];
    }
    if (worker == kNoFunction || !std::isfinite(exclusive[node]) || exclusive[node] == 0) continue;
    OfFunction& helped = functions[name_of(worker)];
    helped.own += exclusive[node];
    if (function != worker) {
      const NodeIndex from = work.started_by[node];
      helped.helpers[from == kNoNode ? name_of(function) : tree.name_of(from)] += exclusive[node];
    }
  }
}

std::vector<std::string> WorkSums::hottest(double OfFunction::*by) const {
  std::vector<std::string> names;
  for (const auto& [name, sums] : functions) {
    if (sums.*by > 0) names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return functions.at(a).*by > functions.at(b).*by;
  });
  return names;
}

std::string largest_name(const std::map<std::string, double>& values) {
  const auto most =
      std::max_element(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == values.end() ? "" : most->first;
}

bool counts_host_time(const Metric& metric) {
  if (ns_in_unit(metric.unit)) return !metric.name.starts_with("G");  // HPCToolkit's times of GPUs: GKER, GXCOPY, ...
  std::string name = metric.name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const char* known : {"cycles", "samples", "time", "cpu-clock", "task-clock"}) {
    if (metric.unit.empty() && name.find(known) != std::string::npos) return true;
  }
  return false;
}

std::vector<std::string> way_to(const CallTree& tree, const SampledWork& work, MetricIndex metric,
                                const std::string& function) {
  const std::vector<double> inclusive = inclusive_values(tree, metric);
  NodeIndex most = kNoNode;
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
    if (!work.functions.outermost[node] || work.worker[node] != work.functions.function[node]) continue;
    if (!std::isfinite(inclusive[node]) || tree.name_of(node) != function) continue;
    if (most == kNoNode || inclusive[node] > inclusive[most]) most = node;
  }
  std::vector<std::string> way;
  for (NodeIndex node = most; node != kNoNode; node = tree.nodes.parent[node]) {
    const bool is_users = work.functions.is_function(tree, node) && work.worker[node] == work.functions.function[node];
    if (is_users && (way.empty() || way.back() != tree.name_of(node))) way.push_back(tree.name_of(node));
  }
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace cgpu
