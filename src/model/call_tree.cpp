#include "model/call_tree.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace cgpu {

const char* text_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::root:
      return "root";
    case NodeKind::entry:
      return "entry";
    case NodeKind::function:
      return "function";
    case NodeKind::loop:
      return "loop";
    case NodeKind::line:
      return "line";
    case NodeKind::instruction:
      return "instruction";
    case NodeKind::frame:
      return "frame";
    case NodeKind::module:
      return "module";
    case NodeKind::op:
      return "op";
    case NodeKind::range:
      return "range";
    case NodeKind::call:
      return "call";
    case NodeKind::device_op:
      return "device_op";
  }
  return "";
}

const char* text_of(NodeRelation relation) {
  switch (relation) {
    case NodeRelation::lexical:
      return "lexical";
    case NodeRelation::call:
      return "call";
    case NodeRelation::inlined_call:
      return "inlined_call";
  }
  return "";
}

namespace {

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// The name of a metric without the suffixes that people and tools add: "GKER:SUM (sec) .inclusive" becomes "gker".
std::string plain_name(std::string_view text) {
  std::string plain;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0 && !std::isspace(static_cast<unsigned char>(c))) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (c == ')' && depth > 0) --depth;
  }
  for (const std::string_view ending : {".inclusive", ".exclusive", ":sum"}) {
    if (plain.ends_with(ending)) plain.resize(plain.size() - ending.size());
  }
  return plain;
}

/// Takes the values of the metrics that `metric` is made of, and combines them node by node.
template <typename Values>
std::vector<double> combined_values(const CallTree& tree, const Metric& metric, Values values_of) {
  std::vector<std::vector<double>> parts;
  for (const MetricIndex part : metric.parts) parts.push_back(values_of(tree, part));
  std::vector<double> values(tree.nodes.size());
  for (NodeIndex node = 0; node < values.size(); ++node) {
    values[node] = metric.formula.value([&](uint32_t operand) { return parts[operand][node]; });
  }
  return values;
}

}  // namespace

std::string CallTree::name_of(NodeIndex node) const {
  if (nodes.name[node] != 0) return std::string(names[nodes.name[node]]);
  std::string place(last_part(names[nodes.file[node]]));
  if (place.empty()) place = last_part(names[nodes.module[node]]);
  if (place.empty()) place = "unknown file";
  if (nodes.line[node] != 0) place += ":" + std::to_string(nodes.line[node]);
  switch (nodes.kind[node]) {
    case NodeKind::root:
      return "<root>";
    case NodeKind::entry:
      return "<entry>";
    case NodeKind::function:
      return "<unknown function>";
    case NodeKind::loop:
      return "loop at " + place;
    default:
      break;
  }
  return place;
}

NodeIndex CallTree::function_of(NodeIndex node) const {
  while (is_inside_function(nodes.kind[node]) && nodes.parent[node] != kNoNode) node = nodes.parent[node];
  return node;
}

bool CallTree::has_values(MetricIndex metric) const {
  if (metrics[metric].measured()) return !metrics[metric].value.empty();
  return nodes.size() > 0 && std::isfinite(inclusive_value(*this, metric, 0));
}

std::optional<MetricIndex> CallTree::find_metric(std::string_view text) const {
  for (MetricIndex i = 0; i < metrics.size(); ++i) {  // "time (gpu)" may be beside "time"
    if (metrics[i].name == text) return i;
  }
  const std::string wanted = plain_name(text);
  for (MetricIndex i = 0; i < metrics.size(); ++i) {
    if (plain_name(metrics[i].name) == wanted) return i;
  }
  for (MetricIndex i = 0; i < metrics.size(); ++i) {
    const std::vector<std::string>& aliases = metrics[i].aliases;
    if (std::any_of(aliases.begin(), aliases.end(), [&](const auto& alias) { return plain_name(alias) == wanted; })) {
      return i;
    }
  }
  std::optional<MetricIndex> found;  // without the prefix that says who counted: "perf::"
  for (MetricIndex i = 0; i < metrics.size(); ++i) {
    const std::string plain = plain_name(metrics[i].name);
    const size_t prefix = plain.find("::");
    if (prefix == std::string::npos || plain.substr(prefix + 2) != wanted) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

double inclusive_value(const CallTree& tree, MetricIndex index, NodeIndex node) {
  const Metric& metric = tree.metrics[index];
  if (!metric.measured()) {
    return combined(metric, [&](MetricIndex part) { return inclusive_value(tree, part, node); });
  }
  const auto at = std::lower_bound(metric.node.begin(), metric.node.end(), node);
  return at != metric.node.end() && *at == node ? metric.value[static_cast<size_t>(at - metric.node.begin())]
                                                : kNoValue;
}

std::vector<double> inclusive_values(const CallTree& tree, MetricIndex index) {
  const Metric& metric = tree.metrics[index];
  if (!metric.measured()) return combined_values(tree, metric, inclusive_values);
  std::vector<double> values(tree.nodes.size(), kNoValue);
  for (size_t i = 0; i < metric.node.size(); ++i) values[metric.node[i]] = metric.value[i];
  return values;
}

std::vector<double> exclusive_values(const CallTree& tree, MetricIndex index) {
  const Metric& metric = tree.metrics[index];
  if (!metric.measured()) return combined_values(tree, metric, exclusive_values);
  std::vector<double> own(tree.nodes.size(), kNoValue);
  if (!metric.additive) return own;
  std::vector<double> below(tree.nodes.size(), 0);
  for (size_t i = 0; i < metric.node.size(); ++i) {
    const NodeIndex node = metric.node[i];
    own[node] = metric.value[i];
    if (const NodeIndex parent = tree.nodes.parent[node]; parent != kNoNode) below[parent] += metric.value[i];
  }
  for (NodeIndex node = 0; node < own.size(); ++node) {
    const double inclusive = own[node];
    if (inclusive != inclusive && below[node] == 0) continue;
    const double left = (inclusive == inclusive ? inclusive : 0) - below[node];
    const bool rounding = std::abs(left) <= metric.rounding * std::max(std::abs(inclusive), std::abs(below[node]));
    own[node] = rounding ? 0 : left;
  }
  return own;
}

}  // namespace cgpu
