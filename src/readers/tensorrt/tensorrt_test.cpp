#include "readers/tensorrt/tensorrt.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "readers/test_read.h"

namespace cgpu::tensorrt {
namespace {

const std::string kLayers =
    "[\n  { \"count\" : 4 }\n, { \"name\" : \"Conv_0 + Relu_1\", \"timeMs\" : 0.111616, \"averageMs\" : 0.027904, "
    "\"medianMs\" : 0.0279, \"percentage\" : 60 }\n, { \"name\" : \"MaxPool_2\", \"timeMs\" : 0.062464, \"averageMs\" : "
    "0.015616, \"percentage\" : 40 }\n, { \"name\" : \"no time\" }\n]\n";

std::string run_of(double start, double end) {
  const auto text = [](double value) { return std::to_string(value); };
  return R"({"startEnqMs": )" + text(start) + R"(, "endEnqMs": )" + text(start + 0.01) + R"(, "startH2dMs": )" +
         text(start) + R"(, "endH2dMs": )" + text(start + 0.1) + R"(, "startComputeMs": )" + text(start + 0.1) +
         R"(, "endComputeMs": )" + text(end) + R"(, "startD2hMs": )" + text(end) + R"(, "endD2hMs": )" + text(end) +
         R"(, "latencyMs": 1})";
}

TEST(TensorRt, LayersAreACallTree) {
  const cgpu::Run run = test::read_text(kLayers);
  EXPECT_EQ(run.format, "tensorrt");
  const CallTree& tree = *run.call_tree;
  ASSERT_EQ(tree.nodes.size(), 3U);
  EXPECT_EQ(tree.name_of(1), "Conv_0 + Relu_1");
  EXPECT_EQ(inclusive_value(tree, *tree.find_metric("time"), 1), 111616);
  EXPECT_EQ(inclusive_value(tree, *tree.find_metric("time"), 0), 174080);
  EXPECT_EQ(inclusive_value(tree, *tree.find_metric("runs"), 2), 4);
  EXPECT_EQ(inclusive_value(tree, *tree.find_metric("average"), 1), 27904);
  EXPECT_EQ(inclusive_value(tree, *tree.find_metric("median"), 1), 27900);
  EXPECT_EQ(run.events.skipped, 1);
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(TensorRt, RunsAreIterationsOfADevice) {
  const cgpu::Run run =
      test::read_text("[" + run_of(1, 2) + "," + run_of(2, 3.5) + "," + run_of(3, 4) + ", {\"x\": 1}]");
  const Timeline& timeline = run.timeline;
  ASSERT_EQ(timeline.device_ops.size(), 6U) << "a copy and a kernel each; copies without a duration are none";
  EXPECT_EQ(timeline.device_ops.stream, (std::vector<int64_t>{0, 0, 0, 0, 1, 1})) << "the third overlaps the second";
  EXPECT_EQ(timeline.name(0), "iteration 1");
  EXPECT_EQ(timeline.slices.start[0], 1000000);
  EXPECT_EQ(timeline.slices.duration[0], 10000) << "as long as the call that launches its ops";
  EXPECT_EQ(timeline.slices.duration[timeline.device_ops.slice[1]], 900000);
  EXPECT_EQ(timeline.slices.correlation[1], timeline.slices.correlation[timeline.device_ops.slice[1]]);
  EXPECT_EQ(run.events.skipped, 1);
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(TensorRt, CutAnywhere) {
  for (const std::string& whole : {kLayers, "[" + run_of(1, 2) + "," + run_of(2, 3) + "]"}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      try {
        const cgpu::Run run = test::read_text(whole.substr(0, size));
        EXPECT_EQ(run.events.read, test::accounted(run));
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace cgpu::tensorrt
