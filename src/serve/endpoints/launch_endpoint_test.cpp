#include <gtest/gtest.h>

#include "analysis/test_timeline.h"
#include "model/test_arguments.h"
#include "serve/measured_launches.h"
#include "serve/test_json.h"
#include "serve/test_text.h"
#include "serve/viewer.h"

namespace cgpu {
namespace {

using test::expect_has;

LaunchShape shape(uint32_t blocks, uint32_t threads) {
  return {{blocks, 1, 1}, {threads, 1, 1}};
}

TEST(MeasuredLaunches, HowWellTwoLaunchesAgree) {
  const KernelLaunch wanted{"void scale<4>(float*, int)", shape(8, 128)};
  EXPECT_EQ(compare(wanted, {"void scale<4>(float *, int)", shape(8, 128)}), LaunchMatch::name_and_shape);
  EXPECT_EQ(compare(wanted, {"void scale<4>(float *, int)", shape(9, 128)}), LaunchMatch::name);
  EXPECT_EQ(compare(wanted, {"void scale<4>(float *, int)", {}}), LaunchMatch::name);
  EXPECT_EQ(compare(wanted, {"void scale<(int)4>(T1 *, int)", shape(8, 128)}), LaunchMatch::short_name_and_shape);
  EXPECT_EQ(compare(wanted, {"void scale<(int)4>(T1 *, int)", shape(8, 64)}), LaunchMatch::none);
  EXPECT_EQ(compare(wanted, {"void scale<(int)4>(T1 *, int)", {}}), LaunchMatch::none);
  EXPECT_EQ(compare(wanted, {"void other<4>(float*, int)", shape(8, 128)}), LaunchMatch::none);
}

/// The launch shapes of kernels by their number, as the PyTorch profiler writes them.
class Shapes : public test::MadeArguments {
 public:
  explicit Shapes(std::vector<uint32_t> blocks) : blocks_(std::move(blocks)) {}
  std::vector<Argument> of(uint64_t source) override {
    return {{"grid", "[" + std::to_string(blocks_.at(source)) + ", 1, 1]", true}, {"block", "[128, 1, 1]", true}};
  }

 private:
  std::vector<uint32_t> blocks_;
};

ProfiledLaunch launch(int64_t id, const std::string& kernel, int64_t blocks) {
  ProfiledLaunch launch;
  launch.id = id;
  launch.kernel = kernel;
  launch.grid = {blocks, 1, 1};
  launch.block = {128, 1, 1};
  return launch;
}

/// A trace of rank 0 and a report of rank 1.
Session small_session() {
  TestRun trace;
  trace.kernel("void scale<4>(float*, int)", 100, 10);
  trace.kernel("void scale<4>(float*, int)", 200, 10);
  trace.kernel("reduce(float*)", 300, 10);
  trace.kernel("unknown(float*)", 400, 10);
  for (uint64_t slice = 0; slice < 4; ++slice) trace.run.timeline.slices.source[slice] = slice;
  trace.run.arguments = std::make_shared<Shapes>(std::vector<uint32_t>{8, 16, 8, 8});
  TestRun report(1);
  report.run.devices.emplace_back().name = "NVIDIA A100-SXM4-80GB";
  LaunchMetrics& metrics = report.run.launch_metrics.emplace();
  metrics.launches = {launch(0, "void scale<4>(float *, int)", 8), launch(1, "void scale<4>(float *, int)", 16),
                      launch(2, "reduce(float *)", 99), launch(3, "elsewhere(int)", 8)};
  ProfiledLaunch& first = metrics.launches.front();
  first.compute_pct = 20;
  first.memory_pct = 80;
  first.flops_per_s = 1e12;  // the vector units reach 19.5e12, the memory 2.039e12 bytes/s
  first.dram_bytes_per_s = 1e12;
  first.duration_ns = 11;
  return session_of(std::move(trace), std::move(report));
}

class Measured : public ::testing::Test {
 protected:
  Measured() : viewer("1.2.3") { viewer.add({}).show(small_session()); }
  Answer get(const std::string& path, std::multimap<std::string, std::string> query) {
    const Answer answer = viewer.answer({path, std::move(query)});
    EXPECT_TRUE(test::JsonCheck::is_valid(answer.body)) << answer.body;
    return answer;
  }
  std::string slice(int number) {
    const Profile profile(small_session());
    const SlicePosition placed = profile.view().place(0, static_cast<SliceIndex>(number));
    return get("/api/p/0/slice", {{"track", std::to_string(placed.track)}, {"slice", std::to_string(placed.slice)}})
        .body;
  }
  std::string launched(const std::string& id) { return get("/api/p/0/launch", {{"rank", "1"}, {"id", id}}).body; }
  Viewer viewer;
};

TEST_F(Measured, ASliceTellsItsPlaceInTheRoofline) {
  const std::string first = slice(0);
  expect_has(first, R"("measured":{"match":"name and shape","count":1,"launches":[{"rank":1,"id":0,"duration":11,)"
                    R"("intensity":1,"flops_per_s":1000000000000,"bound":"memory","ceiling":"fp64","ceiling_pct":)");
  // At 1 FLOP/byte the memory lets 2.039e12 FLOP/s through.
  const size_t at = first.find("ceiling_pct") + 13;
  EXPECT_NEAR(std::stod(first.substr(at)), 100 / 2.039, 0.01);
  expect_has(slice(1), R"("launches":[{"rank":1,"id":1}])");
  expect_has(slice(2), R"("measured":{"match":"name","count":1,"launches":[{"rank":1,"id":2}])");
  EXPECT_EQ(slice(3).find("measured"), std::string::npos);
}

TEST_F(Measured, ALaunchLeadsBackToItsSlices) {
  expect_has(launched("1"), R"({"rank":1,"id":1,"match":"name and shape","slices":[{"track")");
  expect_has(launched("1"), R"("start":100,"duration":10}]})");  // counted from the first
  EXPECT_EQ(launched("1").find(R"("start":0)"), std::string::npos);
  expect_has(launched("2"), R"("match":"name","slices":[{)");
  expect_has(launched("3"), R"("match":"none","slices":[]})");
  EXPECT_EQ(get("/api/p/0/launch", {{"rank", "1"}, {"id", "4"}}).status, 404);
  EXPECT_EQ(get("/api/p/0/launch", {{"rank", "0"}, {"id", "0"}}).status, 404);
  EXPECT_EQ(get("/api/p/0/launch", {{"rank", "1"}, {"id", "x"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/launch", {{"rank", "1"}}).status, 400);
}

}  // namespace
}  // namespace cgpu
