#include "comparison/alignment/call_tree_alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
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
  CallTreeAlignment(side_a, side_b).walk([&](const AlignedCall& call) {
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

TEST(CallTreeAlignment, FunctionsOfOneSideThatTakeTimeStandBesideWhatTheyCall) {
  TestTree a;
  NodeIndex wrapper = a.call(0, "wrapper", 0);
  a.add(wrapper, NodeKind::line, "w.c:3", 1);
  a.call(a.add(wrapper, NodeKind::line, "w.c:4", 2), "work", 10);
  TestTree b;
  b.call(0, "work", 11);
  const std::vector<CallRow> expected = {
      {0, "<root>", "<root>", 0, 0}, {1, "wrapper", "", 3, 0}, {1, "work", "work", 10, 11}};
  EXPECT_EQ(aligned_calls(a, b), expected);
}

TEST(CallTreeAlignment, CallersOfOtherNamesOnBothSidesDoNotSeparateWhatTheyCall) {
  TestTree a;
  NodeIndex caller = a.call(0, "solve_v1", 5);
  a.call(caller, "spmv", 100);
  a.call(caller, "dot", 20);
  TestTree b;
  caller = b.call(0, "run", 7);
  b.call(caller, "spmv", 140);
  b.call(caller, "dot", 20);
  const std::vector<CallRow> expected = {{0, "<root>", "<root>", 0, 0},
                                         {1, "spmv", "spmv", 100, 140},
                                         {1, "", "run", 0, 7},
                                         {1, "solve_v1", "", 5, 0},
                                         {1, "dot", "dot", 20, 20}};
  EXPECT_EQ(aligned_calls(a, b), expected);
}

TEST(CallTreeAlignment, ACallerThatHasLittleInCommonIsAnother) {
  TestTree a;  // both allocate, and do something else
  NodeIndex caller = a.call(0, "read", 30);
  a.call(caller, "parse", 50);
  a.call(caller, "malloc", 2);
  TestTree b;
  caller = b.call(0, "write", 40);
  b.call(caller, "format", 60);
  b.call(caller, "malloc", 3);
  const std::vector<CallRow> expected = {
      {0, "<root>", "<root>", 0, 0}, {1, "", "write", 0, 40}, {2, "", "format", 0, 60}, {2, "", "malloc", 0, 3},
      {1, "read", "", 30, 0},        {2, "parse", "", 50, 0}, {2, "malloc", "", 2, 0}};
  EXPECT_EQ(aligned_calls(a, b), expected);
}

TEST(CallTreeAlignment, ValuesInAnotherUnitAreConverted) {
  TestTree a;
  a.call(a.call(0, "main", 1000), "work", 3000);
  TestTree b;
  b.call(b.call(0, "main", 1), "work", 4);
  const Session session_a = a.session();
  const Session session_b = b.session();
  Labels labels;
  const TreeSide side_a(*session_a.runs[0].call_tree, 0, labels);
  const TreeSide side_b(*session_b.runs[0].call_tree, 0, labels, nullptr, 1000);
  std::vector<std::pair<double, double>> inclusive;
  CallTreeAlignment(side_a, side_b).walk([&](const AlignedCall& call) {
    inclusive.emplace_back(call.inclusive.a, call.inclusive.b);
  });
  EXPECT_EQ(inclusive, (std::vector<std::pair<double, double>>{{4000, 5000}, {4000, 5000}, {3000, 4000}}));
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

TEST(CallTreeAlignment, NamesWithNumbersAreWhatTheySay) {
  TestTree a;
  a.call(0, "stage1", 100);
  a.call(0, "stage2", 200);
  a.call(0, "stage3", 300);
  TestTree b;
  b.call(0, "stage3", 300);
  b.call(0, "stage1", 100);
  b.call(0, "stage2", 260);
  std::vector<CallRow> rows = aligned_calls(a, b);
  std::sort(rows.begin(), rows.end());
  const std::vector<CallRow> expected = {{0, "<root>", "<root>", 0, 0},
                                         {1, "stage1", "stage1", 100, 100},
                                         {1, "stage2", "stage2", 200, 260},
                                         {1, "stage3", "stage3", 300, 300}};
  EXPECT_EQ(rows, expected);
}

TEST(CallTreeAlignment, OnlyOneThatIsLeftOnEachSideIsPairedWithoutItsNumber) {
  TestTree a;
  a.call(0, "worker-1", 1);
  a.call(0, "gemm_64x64", 5);
  TestTree b;
  b.call(0, "gemm_128x64", 4);
  b.call(0, "worker-2", 1);
  b.call(0, "worker-3", 2);
  std::vector<CallRow> rows = aligned_calls(a, b);
  std::sort(rows.begin(), rows.end());
  const std::vector<CallRow> expected = {{0, "<root>", "<root>", 0, 0},
                                         {1, "", "worker-2", 0, 1},
                                         {1, "", "worker-3", 0, 2},
                                         {1, "gemm_64x64", "gemm_128x64", 5, 4},
                                         {1, "worker-1", "", 1, 0}};
  EXPECT_EQ(rows, expected);
}

TEST(CallTreeAlignment, ALineThatMovedIsKnownByWhatItCalls) {
  TestTree a;
  NodeIndex main = a.call(0, "main", 0);
  a.call(a.add(main, NodeKind::line, "n.cpp", 0, 25), "alpha", 20);
  a.call(a.add(main, NodeKind::line, "n.cpp", 0, 26), "gamma", 3);
  TestTree b;  // with a new line above both, and a call below
  main = b.call(0, "main", 0);
  b.call(b.add(main, NodeKind::line, "n.cpp", 0, 28), "gamma", 4);
  b.call(b.add(main, NodeKind::line, "n.cpp", 0, 26), "alpha", 20);
  b.call(b.add(main, NodeKind::line, "n.cpp", 0, 27), "gamma", 3);
  std::vector<CallRow> rows = aligned_calls(a, b);
  std::vector<std::tuple<std::string, std::string, double, double>> functions;
  for (const auto& [depth, name_a, name_b, own_a, own_b] : rows) {
    if (own_a != 0 || own_b != 0) functions.emplace_back(name_a, name_b, own_a, own_b);
  }
  std::sort(functions.begin(), functions.end());
  const std::vector<std::tuple<std::string, std::string, double, double>> expected = {
      {"", "gamma", 0, 4}, {"alpha", "alpha", 20, 20}, {"gamma", "gamma", 3, 3}};
  EXPECT_EQ(functions, expected);
}

/// A call tree that a random test draws and changes.
struct DrawnTree {
  struct Node {
    size_t parent = 0;
    NodeKind kind = NodeKind::function;
    std::string name;
    double own = 0;
    uint32_t line = 0;
  };
  std::vector<Node> nodes;  // below the root, parents first; parent: 0 for the root, else 1 + the place of the parent

  TestTree tree() const {
    TestTree built;
    for (const Node& node : nodes) {
      built.add(static_cast<NodeIndex>(node.parent), node.kind, node.name, node.own, node.line);
    }
    return built;
  }

  bool is_below(size_t node, size_t above) const {  // both as 1 + place
    while (node > above) node = nodes[node - 1].parent;
    return node == above;
  }

  double inclusive(size_t node) const {
    double sum = 0;
    for (size_t i = 1; i <= nodes.size(); ++i) sum += is_below(i, node) ? nodes[i - 1].own : 0;
    return sum;
  }

  DrawnTree without(size_t removed) const {
    DrawnTree less;
    std::vector<size_t> place(nodes.size() + 1, 0);
    for (size_t i = 1; i <= nodes.size(); ++i) {
      if (is_below(i, removed)) continue;
      less.nodes.push_back(nodes[i - 1]);
      less.nodes.back().parent = place[nodes[i - 1].parent];
      place[i] = less.nodes.size();
    }
    return less;
  }

  DrawnTree permuted(std::mt19937& random) const {
    std::vector<std::vector<size_t>> children(nodes.size() + 1);
    for (size_t i = 1; i <= nodes.size(); ++i) children[nodes[i - 1].parent].push_back(i);
    DrawnTree other;
    std::vector<std::pair<size_t, size_t>> open{{0, 0}};
    while (!open.empty()) {
      const auto [node, place] = open.back();
      open.pop_back();
      std::shuffle(children[node].begin(), children[node].end(), random);
      for (const size_t child : children[node]) {
        other.nodes.push_back(nodes[child - 1]);
        other.nodes.back().parent = place;
        open.emplace_back(child, other.nodes.size());
      }
    }
    return other;
  }
};

DrawnTree draw(std::mt19937& random) {
  DrawnTree tree;
  const size_t size = 2 + random() % 40;
  for (size_t i = 0; i < size; ++i) {
    DrawnTree::Node node;
    node.parent = random() % (tree.nodes.size() + 1);
    const bool in_function = node.parent != 0 && tree.nodes[node.parent - 1].kind == NodeKind::function;
    const auto number = static_cast<uint32_t>(random() % 5);
    if (in_function && random() % 2 == 0) {
      node.kind = random() % 3 == 0 ? NodeKind::loop : NodeKind::line;
      node.name = "a.c";
      node.line = 10 + number;
    } else {
      node.name = "f" + std::to_string(number);
    }
    node.own = static_cast<double>(random() % 4);
    tree.nodes.push_back(node);
  }
  return tree;
}

/// Names and values of both sides; "" and 0 where a side has none.
using Aligned = std::tuple<std::string, std::string, double, double, double, double>;

std::vector<Aligned> aligned(const DrawnTree& a, const DrawnTree& b) {
  TestTree built_a = a.tree();
  TestTree built_b = b.tree();
  const Session session_a = built_a.session();
  const Session session_b = built_b.session();
  const CallTree& tree_a = *session_a.runs[0].call_tree;
  const CallTree& tree_b = *session_b.runs[0].call_tree;
  Labels labels;
  const TreeSide side_a(tree_a, 0, labels);
  const TreeSide side_b(tree_b, 0, labels);
  std::vector<Aligned> rows;
  PerSide<double> sum;
  CallTreeAlignment(side_a, side_b).walk([&](const AlignedCall& call) {
    rows.emplace_back(call.a ? tree_a.name_of(*call.a) : "", call.b ? tree_b.name_of(*call.b) : "", call.inclusive.a,
                      call.inclusive.b, call.exclusive.a, call.exclusive.b);
    sum.a += call.exclusive.a;
    sum.b += call.exclusive.b;
  });
  EXPECT_EQ(sum.a, side_a.inclusive[0]);
  EXPECT_EQ(sum.b, side_b.inclusive[0]);
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(CallTreeAlignment, LawsOfRandomTrees) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const DrawnTree a = draw(random);
    const DrawnTree b = draw(random);
    for (const auto& [name_a, name_b, in_a, in_b, own_a, own_b] : aligned(a, a.permuted(random))) {
      EXPECT_EQ(name_a, name_b);  // of a tree and itself nothing changed
      EXPECT_EQ(in_a, in_b);
      EXPECT_EQ(own_a, own_b);
    }
    const std::vector<Aligned> rows = aligned(a, b);
    EXPECT_EQ(rows, aligned(a.permuted(random), b.permuted(random)));
    std::vector<Aligned> mirrored;
    for (const auto& [name_b, name_a, in_b, in_a, own_b, own_a] : aligned(b, a)) {
      mirrored.emplace_back(name_a, name_b, in_a, in_b, own_a, own_b);
    }
    std::sort(mirrored.begin(), mirrored.end());
    EXPECT_EQ(rows, mirrored);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(CallTreeAlignment, ASubtreeThatIsTakenOutIsOnlyInA) {
  size_t looked_at = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const DrawnTree whole = draw(random);
    const size_t removed = 1 + random() % whole.nodes.size();
    const DrawnTree part = whole.without(removed);
    const auto kinds = [](const DrawnTree& tree, NodeKind kind) {
      return std::any_of(tree.nodes.begin(), tree.nodes.end(), [&](const auto& node) { return node.kind == kind; });
    };
    // Lines that the other side lacks altogether count as their function's.
    if (kinds(whole, NodeKind::line) != kinds(part, NodeKind::line) ||
        kinds(whole, NodeKind::loop) != kinds(part, NodeKind::loop)) {
      continue;
    }
    ++looked_at;
    double own_only_a = 0;
    double most = 0;
    for (const auto& [name_a, name_b, in_a, in_b, own_a, own_b] : aligned(whole, part)) {
      EXPECT_NE(name_a, "");
      if (name_b.empty()) {
        own_only_a += own_a;
        most = std::max(most, in_a);
      } else {
        EXPECT_EQ(name_a, name_b);
        EXPECT_EQ(own_a, own_b);
      }
    }
    EXPECT_EQ(own_only_a, whole.inclusive(removed));
    EXPECT_EQ(most, whole.inclusive(removed));
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(looked_at, 300U);
}

}  // namespace
}  // namespace cgpu
