// /api/compare/flame: a flame graph of both profiles.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "comparison/alignment/stack_difference.h"
#include "comparison/sides/compared_stacks.h"
#include "serve/endpoints/compare_endpoints.h"
#include "serve/flame_graph.h"
#include "serve/http/parameters.h"

namespace cgpu {

namespace {

constexpr double kSmallestFrame = 1.0 / 4000;

struct ComparedMetric {
  std::string name;
  std::string unit;
  StackTree (*fold)(const Comparison&, Side, const ComparedPart&);  // null: of call trees
};

/// What the width can be, the default first.
std::vector<ComparedMetric> metrics_of(const Comparison& comparison) {
  std::vector<ComparedMetric> metrics;
  const auto trees = [&](Side side) { return stored_trees(comparison.facts(side).session()); };
  const std::vector<ShownMetric> theirs = shown_metrics(trees(Side::b), {});
  for (const ShownMetric& metric : shown_metrics(trees(Side::a), {})) {
    if (std::any_of(theirs.begin(), theirs.end(), [&](const ShownMetric& one) { return one.name == metric.name; }))
      metrics.push_back({metric.name, metric.unit, nullptr});
  }
  if (const auto main = one_metric(trees(Side::a), {})) {
    std::stable_partition(metrics.begin(), metrics.end(),
                          [&](const ComparedMetric& metric) { return metric.name == main->name; });
  }
  const auto both = [&](auto has) { return std::all_of(kSides.begin(), kSides.end(), has); };
  if (both([&](Side side) { return comparison.totals(side).device_iterations > 0; })) {
    metrics.push_back({"explained_time", "ns", fold_explained_time});
    metrics.push_back({"device_time", "ns", fold_compared_device_time});
  }
  const auto has_host = [&](Side side) {
    const std::vector<Run>& runs = comparison.facts(side).session().runs;
    return std::any_of(runs.begin(), runs.end(), [](const Run& run) {
      const auto& categories = run.timeline.categories;
      return std::any_of(categories.begin(), categories.end(), [](const Category& c) { return is_host(c.kind); });
    });
  };
  if (both(has_host)) metrics.push_back({"host_time", "ns", fold_compared_host_time});
  return metrics;
}

/// The part of each side's time that is asked for: of both or of none.
PerSide<ComparedPart> parts_of(const ComparedProfiles& compared, const Parameters& parameters) {
  PerSide<ComparedPart> parts;
  for (const Side side : kSides) {
    const std::string name = side == Side::a ? "a" : "b";
    const int64_t span = compared.profile(side).view().span();
    const std::optional<int64_t> from = parameters.time(name + "_from", span);
    const std::optional<int64_t> to = parameters.time(name + "_to", span);
    if (from.has_value() != to.has_value()) throw RequestError(kBadRequest, name + "_from goes with " + name + "_to");
    if (from && *from > *to) throw RequestError(kBadRequest, name + "_from is after " + name + "_to");
    if (from) parts[side] = Interval{*from, *to};
  }
  if (parts.a.has_value() != parts.b.has_value()) {
    throw RequestError(kBadRequest, "a part of one side goes with a part of the other one");
  }
  return parts;
}

void write_difference(JsonTextWriter& json, const StackDifference& found, bool whole_numbers) {
  const auto number = [&](double value) {
    if (whole_numbers) {
      json.value(static_cast<int64_t>(std::llround(value)));
    } else {
      json.value(value);
    }
  };
  // Only the names that are left, numbered anew.
  std::vector<int64_t> number_of(found.names.size(), -1);
  std::vector<uint32_t> used;
  const auto name_number = [&](uint32_t name) {
    if (name == kNone) return int64_t{-1};
    if (number_of[name] < 0) {
      number_of[name] = static_cast<int64_t>(used.size());
      used.push_back(name);
    }
    return number_of[name];
  };
  const auto column = [&](const char* name, auto write) {
    json.key(name).begin_array();
    for (const StackDifference::Node& node : found.nodes) write(node);
    json.end_array();
  };
  const auto each_side = [&](auto write) {
    for (const Side side : kSides) {
      json.key(side == Side::a ? "a" : "b").begin_object();
      write(side);
      json.end_object();
    }
  };
  json.key("total").begin_object();
  for (const Side side : kSides) {
    json.key(side == Side::a ? "a" : "b");
    number(found.total[side]);
  }
  json.end_object().key("nodes").begin_object();
  column("parent", [&](const StackDifference::Node& node) {
    json.value(node.parent == StackTree::kRoot ? int64_t{-1} : int64_t{node.parent});
  });
  column("name", [&](const StackDifference::Node& node) { json.value(name_number(node.name)); });
  column("kind", [&](const StackDifference::Node& node) { json.value(int{node.kind}); });
  column("class", [&](const StackDifference::Node& node) {
    json.value(node.kernel_class == StackTree::kNoClass ? -1 : int{node.kernel_class});
  });
  each_side([&](Side side) {
    column("name", [&](const StackDifference::Node& node) { json.value(name_number(node.own_name[side])); });
    column("value", [&](const StackDifference::Node& node) { number(node.value[side]); });
    column("self", [&](const StackDifference::Node& node) { number(node.self[side]); });
    column("count", [&](const StackDifference::Node& node) { json.value(node.count[side]); });
  });
  json.end_object().key("names").begin_array();
  for (const uint32_t name : used) json.value(shown_name(found.names[name]));
  json.end_array().key("short").begin_array();
  for (const uint32_t name : used) write_short_name(json, found.names[name]);
  json.end_array();
}

}  // namespace

Answer answer_compared_flame(const ComparedProfiles& compared, const Request& request) {
  const Parameters parameters(request, {"view", "metric", "a_from", "a_to", "b_from", "b_to"});
  const std::string view = parameters.text("view").value_or("down");
  if (view != "down" && view != "up") throw RequestError(kBadRequest, "view: down or up was expected");
  const Comparison& comparison = compared.comparison();
  const std::vector<ComparedMetric> metrics = metrics_of(comparison);
  if (metrics.empty()) throw RequestError(kNotFound, "the two profiles have no stacks of one kind");
  const std::string wanted = parameters.text("metric").value_or(metrics.front().name);
  const auto metric =
      std::find_if(metrics.begin(), metrics.end(), [&](const ComparedMetric& one) { return one.name == wanted; });
  if (metric == metrics.end()) throw RequestError(kNotFound, "the two profiles have no such metric");
  const bool in_time = metric->fold != nullptr;
  const PerSide<ComparedPart> parts = parts_of(compared, parameters);

  PerSide<StackTree> trees;
  for (const Side side : kSides) {
    trees[side] = in_time ? metric->fold(comparison, side, parts[side])
                          : fold_call_trees(comparison.facts(side).session(), metric->name);
  }
  JsonTextWriter json;
  json.begin_object().member("unit", metric->unit).member("metric", metric->name).key("metrics").begin_array();
  for (const ComparedMetric& each : metrics) json.value(each.name);
  json.end_array().member("per_iteration", in_time && !parts.a && comparison.per_iteration());
  const StackDifference found = difference_of(trees);
  write_difference(json, pruned(view == "up" ? inverted(found) : found, kSmallestFrame), in_time);
  json.end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
