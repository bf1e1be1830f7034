#include "comparison/alignment/further_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "analysis/call_tree/test_call_tree.h"

namespace cgpu {
namespace {

/// Adds a metric with these inclusive values by node.
void add_metric(CallTree& tree, const std::string& name, const std::vector<double>& values, const std::string& wait) {
  Metric metric;
  metric.name = name;
  metric.stall_reason = wait;
  for (NodeIndex node = 0; node < values.size(); ++node) {
    if (!std::isfinite(values[node])) continue;
    metric.node.push_back(node);
    metric.value.push_back(values[node]);
  }
  tree.metrics.push_back(std::move(metric));
}

TEST(FurtherMetrics, ValuesOfBothSidesAndSharesOfWhatIsWaitedFor) {
  TestTree first;
  first.call(0, "f", 1);
  TestTree second;
  second.call(0, "f", 2);
  Session session_a = first.session();
  Session session_b = second.session();
  CallTree& a = *session_a.runs[0].call_tree;
  CallTree& b = *session_b.runs[0].call_tree;
  add_metric(a, "MEMORY", {30, 20}, "memory");
  add_metric(a, "FETCH", {10, kNoValue}, "fetch");
  add_metric(b, "MEMORY", {5, 5}, "memory");
  add_metric(b, "BYTES", {7, 7}, "");
  const FurtherMetrics metrics({&a, &b}, {}, "TIME");
  Table table("t", "", {});
  metrics.append_columns(table);
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"MEMORY.a", "MEMORY.b", "MEMORY.delta", "MEMORY.share_a_pct",
                                      "MEMORY.share_b_pct", "FETCH.a", "FETCH.b", "FETCH.delta", "FETCH.share_a_pct",
                                      "FETCH.share_b_pct", "BYTES.a", "BYTES.b", "BYTES.delta"}));
  const FurtherMetrics::Values values(metrics, {&a, &b}, {nullptr, nullptr});
  const auto cells = [&](const AlignedCall& call) {
    Row row;
    values.append_to(row, call);
    std::vector<double> numbers;  // -1 for what is absent
    for (const Cell& cell : row) {
      const bool absent = is_absent(cell) || std::isnan(std::get<double>(cell));
      numbers.push_back(absent ? -1 : std::get<double>(cell));
    }
    return numbers;
  };
  AlignedCall call;
  call.a = call.b = NodeIndex{0};
  EXPECT_EQ(cells(call), (std::vector<double>{30, 5, -25, 75, 100, 10, -1, -10, 25, 0, -1, 7, 7}));
  call.a = call.b = NodeIndex{1};
  EXPECT_EQ(cells(call), (std::vector<double>{20, 5, -15, 100, 100, -1, -1, -1, 0, 0, -1, 7, 7}));
  call.b.reset();
  EXPECT_EQ(cells(call), (std::vector<double>{20, -1, -20, 100, -1, -1, -1, -1, 0, -1, -1, -1, -1}));
}

}  // namespace
}  // namespace cgpu
