#include "comparison/call_tree_alignment.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/call_tree/test_call_tree.h"

namespace cgpu {
namespace {

/// Depth, name on each side ("" for none), what it spends itself.
using CallRow = std::tuple<size_t, std::string, std::string, double, double>;

std::vector<CallRow> aligned_calls(TestTree& a, TestTree& b) {
  const Session session_a = a.session();
  const Session session_b = b.session();
  const CallTree& tree_a = *session_a.runs[0].call_tree;
  const CallTree& tree_b = *session_b.runs[0].call_tree;
  Labels labels;
  const TreeSide side_a(tree_a, 0, labels);
  const TreeSide side_b(tree_b, 0, labels);
  std::vector<CallRow> rows;
  CallTreeAlignment(side_a, side_b, labels).walk([&](const AlignedCall& call) {
    rows.emplace_back(call.depth, call.a ? tree_a.name_of(*call.a) : "", call.b ? tree_b.name_of(*call.b) : "",
                      call.exclusive.a, call.exclusive.b);
  });
  double sum_a = 0;
  double sum_b = 0;
  for (const CallRow& row : rows) sum_a += std::get<3>(row), sum_b += std::get<4>(row);
  EXPECT_EQ(sum_a, side_a.inclusive[0]);
  EXPECT_EQ(sum_b, side_b.inclusive[0]);
  return rows;
}

TEST(CallTreeAlignment, StubsThatTakeNothingAreLookedThroughToTheSameCall) {
  TestTree a;
  NodeIndex at = a.call(0, "main", 1);
  for (const char* name : {"kernmain", "__device_stub__kernmain()", "cudaLaunchKernel"}) at = a.call(at, name, 0);
  at = a.add(at, NodeKind::line, "[loops-cuda]", 0);
  at = a.call(at, "<gpu kernel>", 0);
  a.call(at, "kernmain()", 5);
  TestTree b;
  at = b.call(0, "main", 2);
  at = b.add(at, NodeKind::line, "[loops-hip]", 0);
  at = b.call(at, "hipLaunchKernel [libamdhip64.so.5]", 0);
  b.call(at, "<gpu kernel>", 0);
  b.call(at, "<gpu kernel>", 70);
  const std::vector<CallRow> expected = {{0, "<root>", "<root>", 0, 0},
                                         {1, "main", "main", 1, 2},
                                         {2, "cudaLaunchKernel", "hipLaunchKernel [libamdhip64.so.5]", 0, 0},
                                         {3, "<gpu kernel>", "<gpu kernel>", 5, 70},
                                         {3, "", "<gpu kernel>", 0, 0}};
  EXPECT_EQ(aligned_calls(a, b), expected);
}

TEST(CallTreeAlignment, FunctionsOfOneSideThatTakeTimeStay) {
  TestTree a;
  NodeIndex wrapper = a.call(0, "wrapper", 0);
  a.add(wrapper, NodeKind::line, "w.c:3", 1);
  a.call(wrapper, "work", 10);
  TestTree b;
  b.call(0, "work", 10);
  const std::vector<CallRow> expected = {
      {0, "<root>", "<root>", 0, 0}, {1, "wrapper", "", 1, 0}, {2, "work", "", 10, 0}, {1, "", "work", 0, 10}};
  EXPECT_EQ(aligned_calls(a, b), expected);
}

TEST(CallTreeAlignment, WhatElseAStubCallsStandsBesideWhatIsTheSame) {
  TestTree a;
  const NodeIndex stub = a.call(0, "stub", 0);
  a.call(stub, "work", 10);
  a.call(stub, "more", 3);
  TestTree b;
  b.call(0, "work", 12);
  const std::vector<CallRow> expected = {
      {0, "<root>", "<root>", 0, 0}, {1, "more", "", 3, 0}, {1, "work", "work", 10, 12}};
  EXPECT_EQ(aligned_calls(a, b), expected);
}

}  // namespace
}  // namespace cgpu
