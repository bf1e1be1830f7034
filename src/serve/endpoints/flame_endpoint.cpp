// /api/p/P/flame: a flame graph of a part of the profile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/call_tree/call_tree_metrics.h"
#include "serve/endpoints/endpoints.h"
#include "serve/flame_graph.h"
#include "serve/http/parameters.h"
#include "serve/selection.h"

namespace cgpu {

namespace {

constexpr double kSmallestShare = 1.0 / 4000;

struct FlameMetric {
  std::string name;
  std::string unit;
  StackTree (*fold)(const SessionFacts&, const std::string& metric, StepFrames);
};

StackTree fold_trees(const SessionFacts& facts, const std::string& metric, StepFrames) {
  return fold_call_trees(facts.session(), metric);
}

/// What the width can be, the default first.
std::vector<FlameMetric> metrics_of(const Profile& profile) {
  std::vector<FlameMetric> metrics;
  const Session& session = profile.session();
  for (const ShownMetric& metric : shown_metrics(stored_trees(session), {}))
    metrics.push_back({metric.name, metric.unit, fold_trees});
  if (const auto main = one_metric(stored_trees(session), {})) {
    std::stable_partition(metrics.begin(), metrics.end(), [&](const FlameMetric& m) { return m.name == main->name; });
  }
  const auto any = [&](auto is_wanted) {
    return std::any_of(session.runs.begin(), session.runs.end(), [&](const Run& run) {
      const auto& categories = run.timeline.categories;
      return std::any_of(categories.begin(), categories.end(), [&](const Category& c) { return is_wanted(c.kind); });
    });
  };
  if (!any(is_host)) return metrics;
  const bool has_device = any(is_device_op);
  if (has_device) {
    metrics.push_back({"device_time", "ns", [](const SessionFacts& facts, const std::string&, StepFrames steps) {
                         return fold_device_time(facts.session(), steps);
                       }});
  }
  metrics.push_back({"host_time", "ns", [](const SessionFacts& facts, const std::string&, StepFrames steps) {
                       return fold_host_time(facts.session(), steps);
                     }});
  if (has_device) {
    metrics.push_back({"idle_time", "ns", [](const SessionFacts& facts, const std::string&, StepFrames steps) {
                         return fold_idle_time(facts, steps);
                       }});
  }
  return metrics;
}

void write_tree(JsonTextWriter& json, const StackTree& tree, bool whole_numbers) {
  const auto column = [&](const char* name, auto value_of) {
    json.key(name).begin_array();
    for (const StackTree::Node& node : tree.nodes) json.value(value_of(node));
    json.end_array();
  };
  const auto number = [&](const char* name, auto value_of) {
    json.key(name).begin_array();
    for (const StackTree::Node& node : tree.nodes) {
      if (whole_numbers) {
        json.value(static_cast<int64_t>(std::llround(value_of(node))));
      } else {
        json.value(value_of(node));
      }
    }
    json.end_array();
  };
  // Only the names that are left, numbered anew.
  std::vector<int64_t> number_of(tree.names.size(), -1);
  std::vector<uint32_t> used;
  for (const StackTree::Node& node : tree.nodes) {
    if (number_of[node.name] >= 0) continue;
    number_of[node.name] = static_cast<int64_t>(used.size());
    used.push_back(node.name);
  }
  json.key("nodes").begin_object();
  column("parent", [](const StackTree::Node& node) {
    return node.parent == StackTree::kRoot ? int64_t{-1} : int64_t{node.parent};
  });
  column("name", [&](const StackTree::Node& node) { return number_of[node.name]; });
  number("value", [](const StackTree::Node& node) { return node.value; });
  number("self", [](const StackTree::Node& node) { return node.self; });
  column("kind", [](const StackTree::Node& node) { return int{node.kind}; });
  column("class", [](const StackTree::Node& node) {
    return node.kernel_class == StackTree::kNoClass ? -1 : int{node.kernel_class};
  });
  column("count", [](const StackTree::Node& node) { return node.count; });
  json.end_object().key("names").begin_array();
  for (const uint32_t name : used) json.value(shown_name(tree.names[name]));
  json.end_array().key("short").begin_array();
  for (const uint32_t name : used) write_short_name(json, tree.names[name]);
  json.end_array();
}

}  // namespace

Answer answer_flame(const Profile& profile, const Request& request) {
  const Parameters parameters(request, {"view", "from", "to", "rank", "metric", "focus", "steps"});
  const std::string view = parameters.text("view").value_or("down");
  if (view != "down" && view != "up") throw RequestError(kBadRequest, "view: down or up was expected");
  ViewSelection selection;
  const auto [from, to] = parameters.window(profile.view().span());
  selection.from = from;
  selection.to = to;
  if (const auto rank = parameters.integer("rank", INT64_MIN, INT64_MAX)) selection.ranks = NumberList(*rank);

  const std::vector<FlameMetric> metrics = metrics_of(profile);
  if (metrics.empty()) throw RequestError(kNotFound, "the profile has no stacks");
  const std::string wanted = parameters.text("metric").value_or(metrics.front().name);
  const auto metric =
      std::find_if(metrics.begin(), metrics.end(), [&](const FlameMetric& m) { return m.name == wanted; });
  if (metric == metrics.end()) throw RequestError(kNotFound, "the profile has no such metric");

  const bool in_time = metric->fold != fold_trees;
  const StepFrames steps = parameters.flag("steps") ? StepFrames::apart : StepFrames::merged;
  StackTree tree = in_time ? metric->fold(SelectedSession(profile, selection).facts(), metric->name, steps)
                           : metric->fold(profile.facts(), metric->name, steps);
  const auto focus = parameters.text("focus");
  if (view == "up") {
    tree = inverted(tree, focus);
  } else if (focus) {
    tree = focus_on(tree, *focus);
  }
  const double total = tree.total();
  JsonTextWriter json;
  json.begin_object().member("unit", metric->unit).member("metric", metric->name).key("metrics").begin_array();
  for (const FlameMetric& each : metrics) json.value(each.name);
  json.end_array().key("total");
  if (in_time) {
    json.value(static_cast<int64_t>(std::llround(total)));
  } else {
    json.value(total);
  }
  write_tree(json, pruned(tree, kSmallestShare), in_time);
  json.end_object();
  return json_answer(std::move(json).text());
}

}  // namespace cgpu
