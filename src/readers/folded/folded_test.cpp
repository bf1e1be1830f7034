#include "readers/folded/folded.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/reader.h"

namespace cgpu::folded {
namespace {

cgpu::Run read(const std::string& text, const std::string& format = "") {
  const test::TestFile file(text, ".folded");
  return std::move(open_inputs({file.path()}, {1, format, {}}).runs.front());
}

/// "main/solve": inclusive value.
double value(const cgpu::Run& run, const std::string& path) {
  const CallTree& tree = *run.call_tree;
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
    std::string names;
    for (NodeIndex n = node; n != 0; n = tree.nodes.parent[n]) names = tree.name_of(n) + (n == node ? "" : "/") + names;
    if (names == path) return inclusive_value(tree, 0, node);
  }
  return -1;
}

TEST(Folded, StacksBecomeACallTree) {
  const cgpu::Run run =
      read("# by perf\nmain;solve;_Z5innerv 3\r\nmain;solve 2.5\nidle 4\n\nmain;solve;_Z5innerv 1\nmain;a b 7");
  EXPECT_EQ(run.format, "folded");
  EXPECT_EQ(value(run, "main"), 13.5);
  EXPECT_EQ(value(run, "main/solve"), 6.5);
  EXPECT_EQ(value(run, "main/solve/inner()"), 4);
  EXPECT_EQ(value(run, "main/a b"), 7);
  EXPECT_EQ(value(run, "idle"), 4);
  EXPECT_EQ(inclusive_value(*run.call_tree, 0, 0), 17.5);
  EXPECT_EQ(run.call_tree->main_metric, 0U);
  EXPECT_EQ(run.events.read, 5);
  EXPECT_EQ(run.events.samples, 5);
  EXPECT_TRUE(run.notes.all().empty());
}

TEST(Folded, ProcessesAndThreadsOfPySpyAreNoFunctions) {
  const cgpu::Run run = read(
      "process 7:\"python train.py\";thread (0x7FA1): MainThread;main (train.py:3);step 5\n"
      "process 7:\"python train.py\";thread (0x7FA2);load 2\n"
      "process 7:\"python train.py\";process 9:\"python -c a; b\";thread (0x7FB1): MainThread;main (train.py:3) 3\n"
      "process started;f 1\n");
  const CallTree& tree = *run.call_tree;
  std::vector<std::string> names;
  for (const CallProfile& profile : tree.profiles) names.push_back(profile.name);
  EXPECT_EQ(names, (std::vector<std::string>{"process 7 (python train.py) thread (0x7FA1): MainThread",
                                             "process 7 (python train.py) thread (0x7FA2)",
                                             "process 9 (python -c a; b) thread (0x7FB1): MainThread", ""}));
  EXPECT_EQ(value(run, "main (train.py:3)"), 8) << "the same function in two processes";
  EXPECT_EQ(value(run, "main (train.py:3)/step"), 5);
  EXPECT_EQ(value(run, "load"), 2);
  EXPECT_EQ(value(run, "process started/f"), 1) << "a function of such a name";
  EXPECT_EQ(inclusive_value(tree, 0, 0), 11);
  double sum = 0;
  for (const ProfileValue& of : tree.profile_values->of_node(0, 0)) sum += of.value;
  EXPECT_EQ(sum, 11) << "the processes add up to the whole";
}

TEST(Folded, OtherTextIsNoFoldedStack) {
  for (const char* text : {"a 1\nb 2\n", "a;b\n", "a;b x\n", "a;b 1\nhello\n", "{;a 1\n", "[1;2 3\n", "a;b;c\n1;2;3\n",
                           "int f(); // in 2026\nreturn;\n", "\n\n", "# a;b 1\n"}) {
    EXPECT_THROW(read(text), Error) << text;
  }
}

TEST(Folded, WhatIsNoStackIsCounted) {
  const cgpu::Run run = read("a;b 1\nx\n 5\n", "folded");
  EXPECT_EQ(run.notes.count("skipped_event"), 2);
  EXPECT_EQ(run.events.read, 3);
  EXPECT_THROW(read("x\n", "folded"), Error);
  std::string deep;
  for (int i = 0; i < 10'005; ++i) deep += "f;";
  EXPECT_EQ(read(deep + "g 1\n").notes.count("skipped_frame"), 6);
}

}  // namespace
}  // namespace cgpu::folded
