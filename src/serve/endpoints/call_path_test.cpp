#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"
#include "serve/test_json.h"
#include "serve/test_text.h"
#include "tiles/test_call_paths.h"

namespace cgpu {
namespace {

using test::expect_has;
using Query = std::multimap<std::string, std::string>;

/// main calls solve twice and write once: one box, two, one.
Profile small_profile() {
  TestRun test;
  CallTree& tree = test.run.call_tree.emplace();
  const NodeIndex root = test::add_node(tree, kNoNode, NodeKind::root, "");
  const NodeIndex main = test::add_node(tree, root, NodeKind::function, "main");
  const NodeIndex solve = test::add_node(tree, main, NodeKind::function, "solve");
  const NodeIndex line = test::add_node(tree, solve, NodeKind::line, "");
  const NodeIndex write = test::add_node(tree, main, NodeKind::function, "write");
  tree.sampled_nodes = std::make_shared<test::NumberedNodes>(tree.nodes.size());
  Metric time;
  time.name = "CPUTIME";
  time.unit = "sec";
  time.node = {root, main, solve};
  time.value = {9, 8, 7};
  tree.metrics = {time};
  tree.main_metric = 0;
  test::add_sample(test, 0, 10, solve);
  test::add_sample(test, 10, 10, line);
  test::add_sample(test, 20, 10, write);
  test::add_sample(test, 30, 10, solve);
  test::add_sample(test, 50, 10, 99);
  return Profile(session_of(std::move(test)));
}

constexpr ViewTrackId kSamples = 0;
constexpr ViewTrackId kPath = 1;

std::string slice(const Profile& profile, ViewTrackId track, SliceIndex number) {
  const Query query{{"track", std::to_string(track)}, {"slice", std::to_string(number)}};
  std::string body = answer_slice(profile, {"/api/p/0/slice", query}).body;
  EXPECT_TRUE(test::JsonCheck::is_valid(body)) << body;
  return body;
}

std::string neighbor(const Profile& profile, SliceIndex box, const std::string& to) {
  const Query query{{"track", std::to_string(kPath)}, {"slice", std::to_string(box)}, {"to", to}};
  return answer_neighbor(profile, {"/api/p/0/neighbor", query}).body;
}

TEST(CallPath, ABoxSaysItsPlaceItsSamplesAndItsCallers) {
  const Profile profile = small_profile();
  const std::string box = slice(profile, kPath, 1);  // main, solve, write, solve by start
  expect_has(box, R"("lane":1,"name":"solve","kind":"function","start":0,"duration":20)");
  expect_has(box, R"("node":{"rank":0,"id":2,"kind":"function","name":"solve","module":"program",)"
                  R"("file":"/src/program.c","line":3,"metric":"CPUTIME","unit":"sec","inclusive":7)");
  expect_has(box, R"("samples":2,"stack":[{"track":1,"slice":0,"lane":0,"name":"main","start":0,"duration":40}])");
  expect_has(box, R"("origin":{"track":0,"slice":0,)");
  EXPECT_EQ(slice(profile, kPath, 2).find("inclusive"), std::string::npos);  // nothing was measured there
}

TEST(CallPath, ASampleSaysItsLineAndItsFrames) {
  const Profile profile = small_profile();
  const std::string sample = slice(profile, kSamples, 1);
  expect_has(sample, R"("kind":"line","name":"program.c:4")");
  expect_has(sample, R"("stack":[{"track":1,"slice":1,"lane":1,"name":"solve")");
  const std::string unknown = slice(profile, kSamples, 4);
  EXPECT_EQ(unknown.find("\"node\""), std::string::npos);
  expect_has(unknown, R"("stack":[])");
}

TEST(CallPath, LeadsToNeighboursAndIsFound) {
  const Profile profile = small_profile();
  expect_has(neighbor(profile, 0, "child"), R"("slice":1,)");
  expect_has(neighbor(profile, 1, "parent"), R"("slice":0,)");
  expect_has(neighbor(profile, 1, "next"), R"("slice":2,)");
  EXPECT_EQ(neighbor(profile, 0, "parent"), "{}");
  EXPECT_EQ(neighbor(profile, 1, "child"), "{}");
  const std::string found = answer_search(profile, {"/api/p/0/search", {{"q", "solve"}}}).body;
  expect_has(found, R"("total":2,)");
  expect_has(found, R"({"track":1,"slice":3,"lane":1,"name":"solve","start":30,"duration":10})");
  const std::string own = answer_search(profile, {"/api/p/0/search", {{"q", "solve"}, {"own", "1"}}}).body;
  expect_has(own, R"("total":0,)");
}

TEST(CallPath, AnAreaOfItIsThatOfTheSamples) {
  const Profile profile = small_profile();
  const auto area = [&](ViewTrackId track) {
    const Query query{{"from", "5"}, {"to", "25"}, {"track", std::to_string(track)}};
    const std::string body = answer_area(profile, {"/api/p/0/area", query}).body;
    return body.substr(body.find("\"slices\""));
  };
  EXPECT_EQ(area(kPath), area(kSamples));
}

std::string functions(const Profile& profile, const Query& query) {
  std::string body = answer_functions(profile, {"/api/p/0/functions", query}).body;
  EXPECT_TRUE(test::JsonCheck::is_valid(body)) << body;
  return body;
}

/// What is answered for each function, without its number and colour.
std::string row(const std::string& name, int64_t time) {
  return fmt::format(R"("time":{},"tracks":1)", time) + "|" + name;
}

/// The same of an answer, in its order.
std::vector<std::string> rows_of(const std::string& body) {
  std::vector<std::string> rows;
  const auto between = [&](size_t from, const std::string& before, const std::string& after) {
    const size_t begin = body.find(before, from) + before.size();
    return body.substr(begin, body.find(after, begin) - begin);
  };
  for (size_t at = body.find(R"({"id":)"); at != std::string::npos; at = body.find(R"({"id":)", at + 1)) {
    rows.push_back(R"("time":)" + between(at, R"("time":)", "}") + "|" + between(at, R"("name":")", "\""));
  }
  return rows;
}

TEST(CallPath, FunctionsAtADepthShareTheTimeOfTheTracks) {
  const Profile profile = small_profile();
  using Rows = std::vector<std::string>;
  EXPECT_EQ(rows_of(functions(profile, {{"depth", "1"}})), (Rows{row("main", 40)}));
  EXPECT_EQ(rows_of(functions(profile, {{"depth", "2"}})), (Rows{row("solve", 30), row("write", 10)}));
  EXPECT_EQ(rows_of(functions(profile, {{"depth", "64"}})), (Rows{row("solve", 30), row("write", 10)}));
  const std::string part = functions(profile, {{"depth", "2"}, {"from", "15"}, {"to", "32"}, {"track", "1"}});
  EXPECT_EQ(rows_of(part), (Rows{row("write", 10), row("solve", 7)}));
  expect_has(part, R"("depth":2,"from":15,"to":32,"tracks":1,"total":17)");
}

TEST(CallPath, FunctionsAreThoseOfTracksOfCallPaths) {
  const Profile profile = small_profile();
  for (const Query& query : {Query{}, Query{{"depth", "0"}}, Query{{"depth", "65"}},
                             Query{{"depth", "1"}, {"track", "0"}}, Query{{"depth", "1"}, {"track", "7"}}}) {
    EXPECT_THROW(answer_functions(profile, {"/api/p/0/functions", query}), RequestError);
  }
}

TEST(CallPath, TilesOfADepthHaveOneLane) {
  const Profile profile = small_profile();
  const auto tiles = [&](const std::string& depth) {
    Query query{{"track", "0,1"}, {"level", "0"}, {"index", "0,0"}};
    if (!depth.empty()) query.emplace("depth", depth);
    return answer_tiles(profile, {"/api/p/0/tiles", query}).body;
  };
  const auto tile = [&](ViewTrackId track, const std::string& depth) {
    Query query{{"track", std::to_string(track)}, {"level", "0"}, {"index", "0"}};
    if (!depth.empty()) query.emplace("depth", depth);
    return answer_tile(profile, {"/api/p/0/tile", query}).body;
  };
  EXPECT_EQ(tile(kPath, "")[4], 2);
  EXPECT_EQ(tile(kPath, "1")[4], 1);
  EXPECT_EQ(tile(kSamples, "1"), tile(kSamples, ""));
  EXPECT_NE(tiles("2").find(tile(kPath, "2")), std::string::npos);
  EXPECT_NE(tiles("2").find(tile(kSamples, "")), std::string::npos);
  EXPECT_EQ(tiles("2").find(tile(kPath, "")), std::string::npos);
  EXPECT_THROW(tile(kPath, "65"), RequestError);
}

}  // namespace
}  // namespace cgpu
