#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "analysis/test_timeline.h"
#include "serve/test_json.h"
#include "serve/test_text.h"
#include "serve/viewer.h"

namespace cgpu {
namespace {

using test::expect_has;

constexpr int64_t kStep = 10'000;

struct Program {
  int64_t shift = 0;      // of all times
  int64_t gemm = 1'000;   // ns that the kernel of each step takes
  bool has_copy = false;  // behind it
  int steps = 3;
};

/// Steps in which an op launches a kernel, and a nested op of the same name another one.
Session session_of_program(const Program& program) {
  TestRun run;
  run.host(SliceKind::framework_op, "start", program.shift, 10);
  for (int i = 0; i < program.steps; ++i) {
    const int64_t at = program.shift + 1'000 + i * kStep;
    const SliceIndex step =
        run.host(SliceKind::annotation, fmt::format("ProfilerStep#{}", i + 1), at, kStep - 100, kNone);
    const SliceIndex op = run.host(SliceKind::framework_op, "aten::mm", at + 100, 3'000, step);
    const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", at + 200, 50, op);
    run.kernel("gemm_kernel", at + 400, program.gemm, {.kernel_class = KernelClass::gemm, .launch = call});
    const SliceIndex inner = run.host(SliceKind::framework_op, "aten::mm", at + 1'500, 500, op);
    const SliceIndex second = run.host(SliceKind::runtime_call, "cudaLaunchKernel", at + 1'600, 50, inner);
    run.kernel("small_kernel", at + 5'000, 200, {.kernel_class = KernelClass::gemm, .launch = second});
    if (!program.has_copy) continue;
    const SliceIndex copy = run.host(SliceKind::framework_op, "aten::copy_", at + 3'200, 300, step);
    const SliceIndex third = run.host(SliceKind::runtime_call, "cudaLaunchKernel", at + 3'300, 50, copy);
    run.kernel("copy_kernel", at + 6'000, 400, {.kernel_class = KernelClass::elementwise, .launch = third});
  }
  return session_of(std::move(run));
}

class Compared : public ::testing::Test {
 protected:
  Compared() : viewer("1.2.3") {
    viewer.add({"a.json"}).show(session_of_program(kA));
    viewer.add({"b.json"}).show(session_of_program(kB));
    viewer.compare();
  }

  std::string get(const std::string& path, std::multimap<std::string, std::string> query = {}, int status = 200) {
    const Answer answer = viewer.answer({path, std::move(query)});
    EXPECT_TRUE(test::JsonCheck::is_valid(answer.body)) << path << ": " << answer.body.substr(0, 300);
    EXPECT_EQ(answer.status, status) << path << ": " << answer.body.substr(0, 300);
    return answer.body;
  }
  /// The slices of a name, in the order of time, as the parameters that name them.
  std::vector<std::multimap<std::string, std::string>> slices(char side, const std::string& name) {
    const std::string path = fmt::format("/api/p/{}/search", side == 'a' ? 0 : 1);
    const std::string found = get(path, {{"q", "^" + name + "$"}, {"regex", "1"}, {"own", "1"}});
    std::vector<std::multimap<std::string, std::string>> all;
    const std::regex each(R"re("track":(\d+),"slice":(\d+))re");
    for (std::sregex_iterator at(found.begin(), found.end(), each); at != std::sregex_iterator(); ++at) {
      all.push_back({{"side", std::string(1, side)}, {"track", (*at)[1]}, {"slice", (*at)[2]}});
    }
    return all;
  }
  std::string partner(const std::multimap<std::string, std::string>& slice) { return get("/api/compare/slice", slice); }
  /// {"partner":{"track":T,"slice":S for the slice that these parameters name.
  static std::string as_partner(const std::multimap<std::string, std::string>& slice) {
    return fmt::format(R"("partner":{{"track":{},"slice":{},)", slice.find("track")->second,
                       slice.find("slice")->second);
  }

  static constexpr Program kA{};
  static constexpr Program kB{.shift = 500'000, .gemm = 3'000, .has_copy = true};
  Viewer viewer;
};

TEST_F(Compared, SaysWhatChangedAndWhere) {
  expect_has(get("/api/status"), R"("against":true)");
  const std::string changes = get("/api/compare");
  expect_has(changes, R"("per_iteration":true)");
  expect_has(changes, "aten::mm: gemm_kernel");
  for (const char* table : {"compare_summary", "compare_causes", "compare_ops", "compare_kernels"}) {
    expect_has(changes, fmt::format("\"{}\":{{\"about\":", table));
  }
  EXPECT_EQ(changes.find("compare_times"), std::string::npos) << "has its own request";
  // A place for each row of compare_causes; of what only B has, none in A.
  const std::string places = changes.substr(changes.find("\"places\":["));
  const auto count = [](const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  const size_t begin = changes.find("\"rows\": [", changes.find("\"compare_causes\":"));
  const std::string rows = changes.substr(begin, changes.find("\n]", begin) - begin);
  EXPECT_EQ(count(places, "{\"a\":"), count(rows, "\n[")) << rows << places;
  expect_has(places, R"({"a":null,"b":{"start")");
  expect_has(places, R"("name":"copy_kernel")");
  expect_has(places, R"("name":"gemm_kernel")");
}

TEST_F(Compared, TimesOfTheSameWork) {
  // The first kernel of A's steps begins where that of B's does: from the start of each session.
  const std::string times = get("/api/compare/times");
  const std::string first = std::to_string(1'000 + 400);
  expect_has(times, "{\"ranks\":[{\"rank_a\":0,\"rank_b\":0,\"a\":[" + first + ",");
  expect_has(times, "\"b\":[" + first + ",");
  expect_has(times, "\"residual\":[0,");
}

TEST_F(Compared, NamesByHowTheirWorkChanged) {
  const auto side = [](const std::string& answer, const char* name) { return answer.substr(answer.find(name)); };
  const std::string names = get("/api/compare/names");
  // gemm_kernel takes three times as long, small_kernel as long as before; copy_kernel is in B alone.
  const std::regex of_a(R"re("a":\{"name":\[\d+,\d+\],"ratio":\[3(\.0)?,1(\.0)?\]\})re");
  const std::regex of_b(R"re("b":\{"name":\[\d+,\d+,\d+\],"ratio":\[3(\.0)?,1(\.0)?,null\]\})re");
  EXPECT_TRUE(std::regex_search(names, of_a)) << side(names, "\"a\"");
  EXPECT_TRUE(std::regex_search(names, of_b)) << side(names, "\"b\"");
}

TEST_F(Compared, TheSameWorkInTheSameStep) {
  for (const char* name : {"gemm_kernel", "small_kernel"}) {
    const auto a = slices('a', name);
    const auto b = slices('b', name);
    ASSERT_EQ(a.size(), 3U);
    ASSERT_EQ(b.size(), 3U);
    for (size_t step = 0; step < 3; ++step) {
      expect_has(partner(a[step]), as_partner(b[step]));
      expect_has(partner(b[step]), as_partner(a[step]));
      expect_has(partner(a[step]), R"("status":"both","key":")");
    }
  }
}

TEST_F(Compared, HostSlicesByWhatTheyLaunched) {
  for (const char* name : {"aten::mm", "cudaLaunchKernel"}) {
    auto a = slices('a', name);
    auto b = slices('b', name);
    if (b.size() > a.size()) {  // without the calls of what only B has: the third of each step
      for (const size_t third : {8, 5, 2}) b.erase(b.begin() + static_cast<ptrdiff_t>(third));
    }
    ASSERT_EQ(a.size(), 6U);
    ASSERT_EQ(b.size(), 6U);
    for (size_t i = 0; i < 6; ++i) {  // outer and inner op of one name are distinguished
      expect_has(partner(a[i]), as_partner(b[i]));
      expect_has(partner(b[i]), as_partner(a[i]));
    }
  }
}

TEST_F(Compared, WhatOnlyOneSideHasAndWhatIsNoWork) {
  for (const char* name : {"copy_kernel", "aten::copy_"}) {
    expect_has(partner(slices('b', name).at(0)), R"("status":"only_b")");
    expect_has(partner(slices('b', name).at(0)), R"("partner":null)");
  }
  expect_has(partner(slices('a', "start").at(0)), R"({"status":null,"key":"start","partner":null})");
}

TEST_F(Compared, GapsAreThoseBeforeTheSameWork) {
  const auto gap_before = [&](char side, size_t number) {
    const size_t profile = side == 'a' ? 0 : 1;
    const std::string session = get(fmt::format("/api/p/{}/session", profile));
    std::smatch idle;
    EXPECT_TRUE(std::regex_search(session, idle, std::regex(R"re("id":(\d+),[^{}]*"kind":"idle")re")));
    return std::multimap<std::string, std::string>{
        {"side", std::string(1, side)}, {"track", idle[1]}, {"slice", std::to_string(number)}};
  };
  // A: gemm, gap 0, small, gap 1, gemm ...; B: gemm, gap 0, small, gap 1, copy, gap 2, gemm ...
  expect_has(partner(gap_before('a', 0)), as_partner(gap_before('b', 0)));
  expect_has(partner(gap_before('a', 1)), as_partner(gap_before('b', 2)));
  expect_has(partner(gap_before('b', 2)), as_partner(gap_before('a', 1)));
  expect_has(partner(gap_before('b', 1)), R"("status":"only_b")");
  expect_has(partner(gap_before('b', 1)), R"("partner":null)");
}

TEST_F(Compared, TheAlignedOpsOfATime) {
  const auto first = slices('a', "gemm_kernel").at(0);
  const auto theirs = slices('b', "gemm_kernel").at(0);
  const std::multimap<std::string, std::string> time = {{"from", "1400"}, {"to", "1401"}};
  const std::string one = get("/api/compare/aligned", time);
  const auto placed = [](const std::multimap<std::string, std::string>& slice) {
    return fmt::format(R"({{"track":{},"slice":{},)", slice.find("track")->second, slice.find("slice")->second);
  };
  expect_has(one, R"({"pairs":[{"a":)" + placed(first));
  expect_has(one, R"("b":)" + placed(theirs));
  expect_has(one, R"("total":1})");
  expect_has(get("/api/compare/aligned"), R"("total":6})");  // two a step; the copies of B have no partner
  auto elsewhere = time;
  elsewhere.emplace("track", first.find("track")->second == "0" ? "1" : "0");
  expect_has(get("/api/compare/aligned", elsewhere), R"({"pairs":[],"total":0})");
  get("/api/compare/aligned", {{"from", "20"}, {"to", "10"}}, 400);
  get("/api/compare/aligned", {{"track", "999"}}, 400);
}

TEST_F(Compared, ATableByItsName) {
  expect_has(get("/api/compare/table/compare_times"), R"({"tables":{"compare_times":{"about":)");
  expect_has(get("/api/compare/table/compare_shapes"), R"({"tables":{"compare_shapes":{"about":)");
}

TEST_F(Compared, AFlameGraphOfBothAddsUpToTheChange) {
  const std::string explained = get("/api/compare/flame");
  expect_has(explained, R"("metric":"explained_time","metrics":["explained_time","device_time","host_time"])");
  // The steps are as long as before: what the kernels take, idle time has lost.
  expect_has(explained, R"("per_iteration":true,"total":{"a":9900,"b":9900})");
  // Of an iteration: 1,000 and 200 ns of kernels in A, 3,000, 200 and 400 in B.
  const std::string device = get("/api/compare/flame", {{"metric", "device_time"}});
  expect_has(device, R"("total":{"a":1200,"b":3600})");
  expect_has(device, R"("parent":[-1,0,1,1,3,0,5])");
  expect_has(device,
             R"("a":{"name":[0,1,2,1,3,-1,-1],"value":[1200,1200,1000,200,200,0,0],"self":[0,0,1000,0,200,0,0])");
  expect_has(device, R"("b":{"name":[0,1,2,1,3,4,5],"value":[3600,3200,3000,200,200,400,400])");
  expect_has(device, R"("names":["ProfilerStep","aten::mm","gemm_kernel","small_kernel","aten::copy_","copy_kernel")");
  const std::string turned = get("/api/compare/flame", {{"metric", "device_time"}, {"view", "up"}});
  expect_has(turned, R"("names":["gemm_kernel","aten::mm","ProfilerStep","copy_kernel")");
  expect_has(turned, R"("parent":[-1,0,1,-1,3,4,-1,6,7,8])");
}

TEST_F(Compared, AFlameGraphOfAPartOfEachSide) {
  // 500 ns of the first gemm_kernel in A, all of it in B.
  const std::multimap<std::string, std::string> part = {
      {"a_from", "1400"}, {"a_to", "1900"}, {"b_from", "1400"}, {"b_to", "4400"}};
  for (const char* metric : {"device_time", "explained_time"}) {
    auto query = part;
    query.emplace("metric", metric);
    expect_has(get("/api/compare/flame", query), R"("per_iteration":false,"total":{"a":500,"b":3000})");
  }
}

TEST_F(Compared, MalformedFlameGraphs) {
  get("/api/compare/flame", {{"metric", "nonsense"}}, 404);
  get("/api/compare/flame", {{"view", "sideways"}}, 400);
  get("/api/compare/flame", {{"a_from", "0"}}, 400);
  get("/api/compare/flame", {{"a_from", "0"}, {"a_to", "10"}}, 400);
  get("/api/compare/flame", {{"a_from", "20"}, {"a_to", "10"}, {"b_from", "0"}, {"b_to", "10"}}, 400);
  get("/api/compare/flame", {{"a_from", "0"}, {"a_to", "10"}, {"b_from", "0"}, {"b_to", "999999999"}}, 400);
  get("/api/compare/flame", {{"rank", "0"}}, 400);
}

TEST_F(Compared, MalformedRequests) {
  const auto slice = slices('a', "gemm_kernel").at(0);
  const auto without = [&](const char* name) {
    auto rest = slice;
    rest.erase(name);
    return rest;
  };
  for (const char* name : {"side", "track", "slice"}) get("/api/compare/slice", without(name), 400);
  auto third = without("side");
  third.emplace("side", "c");
  get("/api/compare/slice", third, 400);
  auto unknown = without("slice");
  unknown.emplace("slice", "4294967295");
  get("/api/compare/slice", unknown, 404);
  get("/api/compare", {{"x", "1"}}, 400);
  get("/api/compare/times", {{"x", "1"}}, 400);
  get("/api/compare/table/compare_shapes", {{"x", "1"}}, 400);
  for (const char* path : {"/api/compare/", "/api/compare/table/", "/api/compare/table/kernels", "/api/compare/nothing",
                           "/api/compared", "/api/comparex/times"}) {
    get(path, {}, 404);
  }
}

TEST(ComparedLater, OnlyWhenBothAreOpenAndWhereItIsAskedFor) {
  Viewer viewer("1.2.3");
  viewer.add({"a.json"}).show(session_of_program({}));
  ViewedProfile& second = viewer.add({"b.json"});
  EXPECT_EQ(viewer.answer({"/api/compare", {}}).status, 404);
  viewer.compare();
  EXPECT_EQ(viewer.answer({"/api/compare", {}}).status, 503);
  EXPECT_FALSE(viewer.is_fixed("/api/compare/times"));
  second.show(session_of_program({}));
  EXPECT_EQ(viewer.answer({"/api/compare", {}}).status, 200);
  EXPECT_TRUE(viewer.is_fixed("/api/compare/times"));
}

}  // namespace
}  // namespace cgpu
