#include "comparison/alignment/stack_difference.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cgpu {
namespace {

constexpr auto kOp = static_cast<uint8_t>(SliceKind::framework_op);
constexpr auto kKernel = static_cast<uint8_t>(SliceKind::kernel);

struct Path {
  std::vector<std::string> names;
  double self = 0;
  uint8_t kernel_class = StackTree::kNoClass;  // of a device op
};

StackTree tree_of(std::initializer_list<Path> paths) {
  StackTree tree;
  for (const Path& path : paths) {
    uint32_t at = StackTree::kRoot;
    for (size_t i = 0; i < path.names.size(); ++i) {
      const bool is_kernel = i + 1 == path.names.size() && path.kernel_class != StackTree::kNoClass;
      at = tree.child(at, tree.name(path.names[i]), is_kernel ? kKernel : kOp);
    }
    tree.nodes[at].self += path.self;
    tree.nodes[at].kernel_class = path.kernel_class;
    ++tree.nodes[at].count;
  }
  tree.add_up();
  return tree;
}

/// "name a/b self a/b", two spaces for each frame above.
std::vector<std::string> lines_of(const StackDifference& difference) {
  std::vector<std::string> lines;
  for (const StackDifference::Node& node : difference.nodes) {
    std::string indent;
    for (uint32_t above = node.parent; above != StackTree::kRoot; above = difference.nodes[above].parent)
      indent += "  ";
    lines.push_back(fmt::format("{}{} {}/{} self {}/{}", indent, difference.names[node.name], node.value.a,
                                node.value.b, node.self.a, node.self.b));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(StackDifference, PairsFramesByTheirPaths) {
  const StackDifference found = difference_of({tree_of({{{"step", "mm"}, 10}, {{"step", "add"}, 5}}),
                                               tree_of({{{"step", "add"}, 7}, {{"step", "mul"}, 2}, {{"mm"}, 1}})});
  EXPECT_EQ(lines_of(pruned(found, 0)), (Lines{"step 15/9 self 0/0", "  mm 10/0 self 10/0", "  add 5/7 self 5/7",
                                               "  mul 0/2 self 0/2", "mm 0/1 self 0/1"}));
  EXPECT_EQ(found.total.a, 15);
  EXPECT_EQ(found.total.b, 10);
}

TEST(StackDifference, PairsNamesWithoutNumbersAndSaysWhatEachSideCallsThem) {
  const StackDifference found = difference_of({tree_of({{{"layer_1"}, 4}}), tree_of({{{"layer_2"}, 6}})});
  ASSERT_EQ(found.nodes.size(), 1U);
  EXPECT_EQ(found.nodes[0].value.a, 4);
  EXPECT_EQ(found.nodes[0].value.b, 6);
  EXPECT_EQ(found.names[found.nodes[0].own_name.a], "layer_1");
  EXPECT_EQ(found.names[found.nodes[0].own_name.b], "layer_2");
}

TEST(StackDifference, PairsTheOnlyKernelsOfAClass) {
  constexpr auto kGemm = static_cast<uint8_t>(KernelClass::gemm);
  const StackDifference found =
      difference_of({tree_of({{{"mm", "sm90_gemm"}, 4, kGemm}}), tree_of({{{"mm", "Cijk_Ailk"}, 6, kGemm}})});
  EXPECT_EQ(lines_of(found), (Lines{"mm 4/6 self 0/0", "  sm90_gemm -> Cijk_Ailk 4/6 self 4/6"}));
  EXPECT_EQ(lines_of(pruned(inverted(found), 0)), (Lines{"sm90_gemm -> Cijk_Ailk 4/6 self 0/0", "  mm 4/6 self 4/6"}));
}

TEST(StackDifference, LooksThroughAWrapperOfOneSide) {
  const StackDifference found = difference_of(
      {tree_of({{{"step", "mm"}, 10}}), tree_of({{{"step", "compiled", "mm"}, 12}, {{"step", "compiled"}, 1}})});
  EXPECT_EQ(lines_of(found), (Lines{"step 10/13 self 0/1", "  mm 10/12 self 10/12"}));
}

TEST(StackDifference, KeepsAFrameOfOneSideThatStandsForOtherWork) {
  const StackDifference found =
      difference_of({tree_of({{{"step", "softmax", "exp"}, 10}}), tree_of({{{"step", "flash", "exp"}, 4}})});
  EXPECT_EQ(lines_of(pruned(found, 0)),
            (Lines{"step 10/4 self 0/0", "  softmax 10/0 self 0/0", "    exp 10/0 self 10/0", "  flash 0/4 self 0/0",
                   "    exp 0/4 self 0/4"}));
}

TEST(StackDifference, AddsUpWhatIsSmallOnBothSides) {
  const StackDifference found =
      difference_of({tree_of({{{"step", "mm"}, 90}, {{"step", "a"}, 1}, {{"step", "b"}, 2}, {{"step", "c"}, 1}}),
                     tree_of({{{"step", "mm"}, 90}, {{"step", "c"}, 8}, {{"step", "d"}, 1}})});
  EXPECT_EQ(lines_of(pruned(found, 0.05)),
            (Lines{"step 94/99 self 0/0", "  mm 90/90 self 90/90", "  c 1/8 self 1/8", "  (other) 3/1 self 3/1"}));
}

TEST(StackDifference, RootsAndSelfTimesAddUpToTheTotalOfEachSide) {
  std::mt19937 random(11);
  const auto below = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  for (int round = 0; round < 200; ++round) {
    PerSide<StackTree> trees;
    for (const Side side : kSides) {
      StackTree& tree = trees[side];
      for (unsigned i = 0; i < 1 + below(40); ++i) {
        uint32_t at = StackTree::kRoot;
        for (unsigned depth = 0; depth < 1 + below(5); ++depth) {
          // Some names that one side alone has, some that differ in their numbers.
          const std::string name =
              fmt::format("{}{}", static_cast<char>((side == Side::a ? 'a' : 'c') + below(6)), below(3));
          at = tree.child(at, tree.name(name), kOp);
        }
        tree.nodes[at].self += below(1000);
      }
      tree.add_up();
    }
    const StackDifference found = difference_of(trees);
    for (const StackDifference& each : {found, inverted(found), pruned(found, 0.02), pruned(inverted(found), 0.02)}) {
      for (const Side side : kSides) {
        std::vector<double> left;
        double roots = 0;
        double self = 0;
        for (const StackDifference::Node& node : each.nodes) {
          left.push_back(node.value[side] - node.self[side]);
          (node.parent == StackTree::kRoot ? roots : left[node.parent]) +=
              node.parent == StackTree::kRoot ? node.value[side] : -node.value[side];
          self += node.self[side];
        }
        EXPECT_EQ(roots, trees[side].total());
        EXPECT_EQ(self, trees[side].total());
        for (const double rest : left) EXPECT_EQ(rest, 0);
      }
    }
  }
}

}  // namespace
}  // namespace cgpu
