#include "serve/viewer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "analysis/analysis.h"
#include "analysis/random_run.h"
#include "model/time_range.h"
#include "serve/test_json.h"
#include "serve/test_text.h"
#include "table/json.h"

namespace cgpu {
namespace {

using test::expect_has;

const std::string kHostile =
    "<script>alert(1)</script>\n\"\\\x01\xE2\x80\xAEtxet\xFF & 'quotes' " + std::string(100'000, 'x');

/// Two kernels with their launches in an op, a copy, and names that nobody would want to see interpreted.
Session viewed_session() {
  TestRun run;
  const SliceIndex op = run.host(SliceKind::framework_op, "aten::mm", 1'000, 500);
  const SliceIndex first = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 1'100, 50, op);
  const SliceIndex second = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 1'200, 50, op);
  const SliceIndex wait = run.host(SliceKind::runtime_call, "cudaStreamSynchronize", 1'300, 150, op);
  run.host(SliceKind::python_function, kHostile, 1'310, 10, wait);
  run.kernel("gemm_kernel", 1'150, 100, {.kernel_class = KernelClass::gemm, .launch = first});
  run.kernel("gemm_kernel", 1'400, 300, {.kernel_class = KernelClass::gemm, .launch = second});
  run.memcpy("Memcpy HtoD", 1'800, 100, {CopyKind::HtoD, MemoryKind::pinned, MemoryKind::device, 4'000});
  Session session = session_of(std::move(run));
  session.inputs = {"folder/trace.json"};
  return session;
}

class Ready : public ::testing::Test {
 protected:
  Ready() : viewer("1.2.3") { viewer.add({"trace.json"}).show(viewed_session()); }

  Answer get(const std::string& path, std::multimap<std::string, std::string> query = {}) {
    const Answer answer = viewer.answer({path, std::move(query)});
    if (answer.type.starts_with("application/json")) {
      EXPECT_TRUE(test::JsonCheck::is_valid(answer.body)) << path << ": " << answer.body.substr(0, 300);
    }
    return answer;
  }
  std::string body(const std::string& path, std::multimap<std::string, std::string> query = {}) {
    const Answer answer = get(path, std::move(query));
    EXPECT_EQ(answer.status, 200) << path << ": " << answer.body.substr(0, 300);
    return answer.body;
  }
  /// Of the first track of a kind.
  std::string track(std::string_view kind) {
    const Profile profile(viewed_session());
    ViewTrackId id = 0;
    while (profile.view().tracks()[id].lane->kind != kind) ++id;
    return std::to_string(id);
  }

  Viewer viewer;
};

TEST(Viewer, TellsHowItGetsOn) {
  Viewer viewer("1.2.3");
  ViewedProfile& profile = viewer.add({"a.json", "b.json"});
  profile.report(0.25, "reading");
  expect_has(
      viewer.answer({"/api/status", {}}).body,
      R"("profiles":[{"state":"opening","share":0.25,"what":"reading","error":null,"inputs":["a.json","b.json"]}])");
  EXPECT_EQ(viewer.answer({"/api/p/0/session", {}}).status, 503);
  EXPECT_EQ(viewer.answer({"/", {}}).status, 200);
  profile.fail("a.json: is not a \"profile\"");
  expect_has(viewer.answer({"/api/status", {}}).body, R"("state":"error")");
  expect_has(viewer.answer({"/api/status", {}}).body, R"(a.json: is not a \"profile\")");
  EXPECT_EQ(viewer.answer({"/api/p/0/tile", {}}).status, 503);
}

TEST(StartOfSession, IsOnlySaidWhereItCanBe) {
  const auto session_with = [](bool is_unix, int64_t base) {
    TestRun run;
    run.host(SliceKind::framework_op, "op", 5, 100);
    run.run.clock_is_unix = is_unix;
    run.run.clock_base = base;
    Viewer viewer("1.2.3");
    viewer.add({"trace.json"}).show(session_of(std::move(run)));
    return viewer.answer({"/api/p/0/session", {}}).body;
  };
  const auto is_said = [&](bool is_unix, int64_t base) {
    return session_with(is_unix, base).find("\"start_unix_ns\":null") == std::string::npos;
  };
  EXPECT_TRUE(is_said(true, 1'700'000'000'000'000'000));
  EXPECT_FALSE(is_said(false, 1'700'000'000'000'000'000));
  for (const int64_t base : {int64_t{0}, int64_t{12'345}, 2 * kMostTime - 1'000}) {
    EXPECT_FALSE(is_said(true, base)) << base;
  }
}

TEST(Export, OfStacksIsAnErrorWhereThereAreNone) {
  const auto exported = [](TestRun run, const char* format) {
    Viewer viewer("1.2.3");
    viewer.add({"trace.json"}).show(session_of(std::move(run)));
    return viewer.answer({"/api/p/0/export", {{"to", format}}});
  };
  for (const char* format : {"folded", "pprof"}) {
    const Answer none = exported(TestRun(), format);
    EXPECT_EQ(none.status, 404) << format;
    EXPECT_NE(none.body.find("has no call stacks"), std::string::npos) << none.body;
    TestRun run;
    run.host(SliceKind::framework_op, "aten::mm", 0, 100);
    const Answer some = exported(std::move(run), format);
    EXPECT_EQ(some.status, 200) << format;
    EXPECT_NE(some.body.find("aten::mm"), std::string::npos) << some.body;
  }
}

TEST(ShortNames, StandBesideTheNames) {
  TestRun run;
  const std::string name = "void cutlass::Kernel2<cutlass_80_wmma>(cutlass::Params)";
  run.host(SliceKind::framework_op, "aten::mm", 0, 100);
  run.kernel(name, 200, 100);
  Viewer viewer("1.2.3");
  viewer.add({"trace.json"}).show(session_of(std::move(run)));
  const std::string names = viewer.answer({"/api/p/0/names/0", {}}).body;
  EXPECT_NE(names.find(name), std::string::npos) << names;
  EXPECT_NE(names.find("\"cutlass::Kernel2\""), std::string::npos) << names;
  EXPECT_NE(names.find("null"), std::string::npos) << "aten::mm is short";
  const std::string plain = viewer.answer({"/api/p/0/table/kernels", {}}).body;
  EXPECT_EQ(plain.find("\"short\""), std::string::npos);
  const std::string table = viewer.answer({"/api/p/0/table/kernels", {{"short", "name"}}}).body;
  EXPECT_TRUE(test::JsonCheck::is_valid(table)) << table;
  EXPECT_NE(table.find("\"short\":[\"cutlass::Kernel2\"]"), std::string::npos) << table;
  EXPECT_EQ(viewer.answer({"/api/p/0/table/kernels", {{"short", "nonsense"}}}).status, 400);
  const std::string flame = viewer.answer({"/api/p/0/flame", {{"view", "down"}}}).body;
  EXPECT_NE(flame.find("\"cutlass::Kernel2\""), std::string::npos) << flame;
}

TEST_F(Ready, DescribesTheSession) {
  const std::string session = body("/api/p/0/session");
  expect_has(session, R"("title":"trace.json")");
  expect_has(session, R"("kind":"idle","drawing":"slices","coverage":"idle","derived":true,"on_demand":false,)");
  expect_has(session, R"("kind":"stream","drawing":"slices","coverage":null,"derived":false,"on_demand":false,)");
  expect_has(session, R"("on_demand":false,"group":["GPU 0"],"name":"idle")");
  expect_has(session, R"("on_demand":false,"group":["GPU 0"],"name":"stream 7")");
  expect_has(session, R"("on_demand":false,"group":["Process 1"],"name":"thread 1")");
  expect_has(
      session,
      R"("subject":"timeline","events":false,"row_key":["name"],"columns":[{"name":"name","type":"text","unit":"",)");
  expect_has(session, R"({"name":"total_ns","type":"int","unit":"ns","role":"measure"})");
  expect_has(session, R"("options":[{"name":"names","kind":"choice","default":"full","choices":["full","base"],)");
  expect_has(
      session,
      R"("views":["overview","findings","timeline","flame","kernels","ops","api","transfers","idle","tables","sql"])");
  expect_has(session, R"("one_kind":false)");
  EXPECT_EQ(session.find(R"("name":"collectives")"), std::string::npos);
}

TEST_F(Ready, NamesAreValidJsonWhateverTheyHold) {
  const std::string names = body("/api/p/0/names/0");
  expect_has(names, R"(<script>alert(1)</script>\n\"\\\u0001)");
  EXPECT_LT(names.size(), 5'000U);  // the long one is cut
  EXPECT_EQ(get("/api/p/0/names/1").status, 404);
  EXPECT_EQ(get("/api/p/0/names/-1").status, 400);
  EXPECT_EQ(get("/api/p/0/names/").status, 400);
  EXPECT_EQ(get("/api/p/0/names/99999999999999999999").status, 400);
}

TEST_F(Ready, SliceOfADeviceOp) {
  const std::string slice = body("/api/p/0/slice", {{"track", track("stream")}, {"slice", "6"}});
  expect_has(slice, R"("name":"gemm_kernel","kind":"kernel","start":400,"duration":300)");
  expect_has(slice, R"("class":"gemm")");
  expect_has(slice, R"("delay":150)");
  expect_has(slice, R"("siblings":{"count":2,"total":400,"mean":200,"median":200,"min":100,"max":300,"rank_pct":75)");
  expect_has(slice, R"("name":"aten::mm")");  // in the stack
}

TEST_F(Ready, SliceOfACall) {
  const std::string slice = body("/api/p/0/slice", {{"track", track("thread")}, {"slice", "1"}});
  expect_has(slice, R"("launched":[{"track")");
  expect_has(slice, R"("launched_count":1)");
  const std::string longest = body("/api/p/0/slice", {{"track", track("thread")}, {"slice", "4"}});
  EXPECT_GT(longest.size(), 100'000U);  // here the name is whole
}

TEST_F(Ready, SliceOfAGapSaysWhy) {
  const std::string gap = body("/api/p/0/slice", {{"track", track("idle")}, {"slice", "0"}});
  expect_has(gap, R"("kind":"idle","start":250,"duration":150)");
  expect_has(gap, R"("label":"launch_overhead")");
  expect_has(gap, R"("why":"For 150 ns of these 150 ns, the next op was being launched)");
  expect_has(gap, R"("origin":{"track")");
}

TEST_F(Ready, CopiesHaveBytesAndBandwidth) {
  const std::string slice = body("/api/p/0/slice", {{"track", track("stream")}, {"slice", "7"}});
  expect_has(slice, R"~("copy":"HtoD (pinned to device)","bytes":4000,"bandwidth":40)~");
}

TEST_F(Ready, Neighbours) {
  const std::string thread = track("thread");
  const std::string stream = track("stream");
  const auto to = [&](const std::string& from, const std::string& slice, const std::string& where) {
    const std::string found = body("/api/p/0/neighbor", {{"track", from}, {"slice", slice}, {"to", where}});
    const size_t at = found.find("\"slice\":");
    return at == std::string::npos ? -1 : std::stoi(found.substr(at + 8));
  };
  EXPECT_EQ(to(thread, "1", "next"), 2);
  EXPECT_EQ(to(thread, "2", "previous"), 1);
  EXPECT_EQ(to(thread, "1", "previous"), -1);
  EXPECT_EQ(to(thread, "1", "parent"), 0);
  EXPECT_EQ(to(thread, "0", "child"), 1);
  EXPECT_EQ(to(thread, "0", "parent"), -1);
  EXPECT_EQ(to(stream, "5", "launch"), 1);
  EXPECT_EQ(to(thread, "2", "launch"), 6);
  EXPECT_EQ(to(thread, "0", "forward"), -1);
  EXPECT_EQ(get("/api/p/0/neighbor", {{"track", thread}, {"slice", "0"}, {"to", "heaven"}}).status, 400);
  expect_has(body("/api/p/0/flows", {{"track", stream}, {"slice", "5"}}), R"([{"kind":"launch","from":{)");
}

TEST_F(Ready, Search) {
  expect_has(body("/api/p/0/search", {{"q", "GEMM"}}), R"({"total":2,"names":1,"first":1,"matches":[{"track")");
  expect_has(body("/api/p/0/search", {{"q", "^cuda.*Kernel$"}, {"regex", "1"}}), R"("total":2,"names":1)");
  expect_has(body("/api/p/0/search", {{"q", "a.*b"}}), R"("total":0,"names":0,"matches":[])");
  expect_has(body("/api/p/0/search", {{"q", "gemm"}, {"track", track("thread")}}), R"("total":0)");
  expect_has(body("/api/p/0/search", {{"q", "gemm"}, {"at", "151"}, {"limit", "1"}}), R"("start":400)");
  expect_has(body("/api/p/0/search", {{"q", "gemm"}, {"at", "151"}, {"limit", "1"}}), R"("first":2)");
  expect_has(body("/api/p/0/search", {{"q", "gemm"}, {"at", "399"}, {"direction", "previous"}}), R"("first":1)");
  expect_has(body("/api/p/0/search", {{"q", "gemm"}, {"at", "399"}, {"direction", "previous"}}), R"("start":150)");
  EXPECT_EQ(get("/api/p/0/search", {{"q", "("}, {"regex", "1"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/search", {{"q", ""}}).status, 400);
  EXPECT_EQ(get("/api/p/0/search").status, 400);
  EXPECT_EQ(get("/api/p/0/search", {{"q", "a"}, {"limit", "100000000"}}).status, 400);
}

TEST_F(Ready, TablesAreThoseOfTheCommandLine) {
  const Session session = viewed_session();
  for (const std::string name : {"kernels", "ops", "api", "idle", "gpu_time", "slices", "info", "call_tree"}) {
    const std::string expected = render_json("table", session.inputs, {make_table(name, session)});
    EXPECT_EQ(body("/api/p/0/table/" + name), expected);
  }
  expect_has(body("/api/p/0/table/kernels", {{"where", "total_ns > 1ms"}}), "\"rows\": [\n]");
  expect_has(body("/api/p/0/table/api", {{"sort", "+name"}, {"top", "1"}}), "[\"cudaLaunchKernel\"");
  expect_has(body("/api/p/0/table/slices", {{"sort", "duration_ns"}, {"top", "1"}, {"where", "kind = kernel"}}),
             "[0, 400, 300, \"gemm_kernel\"");
  EXPECT_EQ(body("/api/p/0/table/kernels", {{"names", "full"}}), body("/api/p/0/table/kernels"));
  EXPECT_EQ(get("/api/p/0/table/kernels", {{"names", "short"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/table/kernels", {{"names", "base"}, {"names", "full"}}).status, 400);
  const Answer none = get("/api/p/0/table/ops", {{"names", "base"}});
  EXPECT_EQ(none.status, 400);
  expect_has(none.body, "'names'");
  EXPECT_EQ(get("/api/p/0/table/slices", {{"args", "yes"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/table/slices", {{"sort", "nonsense"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/table/secrets").status, 404);
  EXPECT_EQ(get("/api/p/0/table/kernels", {{"where", "nonsense"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/table/kernels", {{"sort", "nonsense"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/table/kernels", {{"from", "10"}, {"to", "5"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/table/kernels", {{"step", "1"}}).status, 404);
  EXPECT_EQ(get("/api/p/0/table/kernels", {{"step", "x"}}).status, 400);
}

TEST_F(Ready, AreaOfSomeTracks) {
  const std::string all = body("/api/p/0/area", {{"from", "0"}, {"to", "200"}});
  expect_has(all, R"("slices":3)");
  expect_has(all, R"("kernels":{"about")");
  expect_has(all, "[\"gemm_kernel\", \"gemm\", 1, 50,");  // clipped
  const std::string host = body("/api/p/0/area", {{"from", "0"}, {"to", "200"}, {"track", track("thread")}});
  EXPECT_EQ(host.find("gemm_kernel"), std::string::npos);
  expect_has(host, R"("tracks":1)");
  expect_has(host, R"("api":{"about")");
  const std::string device = body("/api/p/0/area", {{"from", "0"}, {"to", "900"}, {"track", track("busy")}});
  expect_has(device, "launch_overhead");  // the threads that launched are not chosen, and still say why
  EXPECT_EQ(get("/api/p/0/area", {{"from", "0"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/area", {{"from", "0"}, {"to", "9"}, {"track", "1,,2"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/area", {{"from", "0"}, {"to", "9"}, {"track", "999"}}).status, 400);
}

TEST_F(Ready, FlameGraphs) {
  const std::string device = body("/api/p/0/flame", {{"view", "down"}});
  expect_has(device,
             R"("unit":"ns","metric":"device_time","metrics":["device_time","host_time","idle_time"],"total":500)");
  expect_has(device,
             R"~("names":["aten::mm","cudaLaunchKernel","gemm_kernel","(launch not in the profile)","Memcpy HtoD"])~");
  expect_has(device, R"("parent":[-1,0,1,-1,3])");
  expect_has(device, R"("value":[400,400,400,100,100])");
  const std::string host = body("/api/p/0/flame", {{"metric", "host_time"}, {"view", "up"}});
  expect_has(host, R"("total":500)");
  expect_has(body("/api/p/0/flame", {{"focus", "gemm_kernel"}}), R"("total":400)");
  EXPECT_EQ(get("/api/p/0/flame", {{"metric", "nonsense"}}).status, 404);
  EXPECT_EQ(get("/api/p/0/flame", {{"view", "sideways"}}).status, 400);
}

TEST_F(Ready, FlameGraphsSayTheClassOfDeviceOps) {
  expect_has(body("/api/p/0/flame"), fmt::format(R"("class":[-1,-1,{},-1,)", static_cast<int>(KernelClass::gemm)));
  expect_has(body("/api/p/0/flame", {{"view", "up"}}),
             fmt::format(R"("class":[{},-1,-1,)", static_cast<int>(KernelClass::gemm)));
}

TEST(FlameGraph, MergesStepsUnlessToldOtherwise) {
  TestRun run;
  for (int step = 1; step <= 2; ++step) {
    const SliceIndex mark = run.host(SliceKind::annotation, fmt::format("ProfilerStep#{}", step), 1000 * step, 900);
    run.host(SliceKind::framework_op, "aten::mm", 1000 * step + 10, 100, mark);
  }
  run.host(SliceKind::annotation, "ProfilerStep#x", 5000, 50);
  Viewer viewer("1");
  viewer.add({}).show(session_of(std::move(run)));
  const auto flame = [&](std::multimap<std::string, std::string> query) {
    return viewer.answer({"/api/p/0/flame", std::move(query)}).body;
  };
  const std::string merged = flame({});
  expect_has(merged, R"("total":1850)");
  expect_has(merged, R"("value":[1800,200,50])");
  expect_has(merged, R"("count":[2,2,1])");
  expect_has(merged, R"("names":["ProfilerStep","aten::mm","ProfilerStep#x"])");
  expect_has(flame({{"steps", "1"}}), R"("names":["ProfilerStep#1","aten::mm","ProfilerStep#2","ProfilerStep#x"])");
  EXPECT_EQ(viewer.answer({"/api/p/0/flame", {{"steps", "2"}}}).status, 400);
}

TEST_F(Ready, TimesLieInTheSession) {
  const std::string span = "900";  // of the small session
  expect_has(body("/api/p/0/session"), R"("span":)" + span);
  const std::vector<std::pair<std::string, std::multimap<std::string, std::string>>> windows = {
      {"/api/p/0/area", {}},
      {"/api/p/0/table/kernels", {}},
      {"/api/p/0/table/slices", {}},
      {"/api/p/0/flame", {}},
      {"/api/p/0/distributions", {{"table", "kernels"}}},
      {"/api/p/0/row", {{"table", "kernels"}, {"name", "gemm_kernel"}}}};
  const auto status = [&](const auto& request, const std::string& from, const std::string& to) {
    auto query = request.second;
    query.insert({{"from", from}, {"to", to}});
    const Answer answer = get(request.first, query);
    EXPECT_LT(answer.body.size(), answer.status == 200 ? SIZE_MAX : 200U) << answer.body;
    return answer.status;
  };
  for (const auto& request : windows) {
    EXPECT_EQ(status(request, "0", span), 200) << request.first;
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"-5", "10"},
                                                                                   {"-10", "-5"},
                                                                                   {"10", "10"},
                                                                                   {"10", "5"},
                                                                                   {"0", "901"},
                                                                                   {"0", "9007199254740992"},
                                                                                   {"0", "9223372036854775808"},
                                                                                   {"1e2", "200"},
                                                                                   {"0", ""}}) {
      EXPECT_EQ(status(request, from, to), 400) << request.first << " " << from << " " << to;
    }
  }
  EXPECT_EQ(get("/api/p/0/search", {{"q", "gemm"}, {"at", span}}).status, 200);
  EXPECT_EQ(get("/api/p/0/search", {{"q", "gemm"}, {"at", "-5"}}).status, 400);
  EXPECT_EQ(get("/api/p/0/search", {{"q", "gemm"}, {"at", "901"}}).status, 400);
}

TEST_F(Ready, SeveralTilesAtOnce) {
  const std::string stream = track("stream");
  const std::string busy = track("busy");
  const Answer answer =
      get("/api/p/0/tiles", {{"level", "0"}, {"track", stream + "," + busy + "," + stream}, {"index", "0,0,1"}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto number = [&](size_t place) {
    uint32_t value = 0;
    std::memcpy(&value, answer.body.data() + 4 * place, sizeof value);
    return value;
  };
  EXPECT_EQ(answer.body.substr(0, 4), "CGB1");
  ASSERT_EQ(number(1), 3U);
  const auto padded = [](size_t size) { return (size + 7) / 8 * 8; };
  size_t at = padded(4 * (2 + 3));
  const auto expect_next = [&](size_t i, const char* kind, const std::string& of, const char* index) {
    EXPECT_EQ(answer.body.substr(at, number(2 + i)), get(kind, {{"track", of}, {"level", "0"}, {"index", index}}).body);
    at += padded(number(2 + i));
  };
  expect_next(0, "/api/p/0/tile", stream, "0");
  expect_next(1, "/api/p/0/activity", busy, "0");
  expect_next(2, "/api/p/0/tile", stream, "1");
  EXPECT_EQ(at, answer.body.size());
  const auto status = [&](const std::string& tracks, const std::string& indexes) {
    return get("/api/p/0/tiles", {{"level", "0"}, {"track", tracks}, {"index", indexes}}).status;
  };
  EXPECT_EQ(status("0,1", "0"), 400);
  EXPECT_EQ(status("", ""), 400);
  EXPECT_EQ(status("0,999", "0,0"), 404);
  std::string many = "0";
  for (int i = 0; i < 256; ++i) many += ",0";
  EXPECT_EQ(status(many, many), 400);
}

TEST_F(Ready, MalformedRequestsGetShortAnswers) {
  const std::string stream = track("stream");
  const std::vector<std::pair<std::multimap<std::string, std::string>, int>> tiles = {
      {{}, 400},
      {{{"track", stream}}, 400},
      {{{"track", stream}, {"level", "0"}, {"index", "0"}, {"what", "1"}}, 400},
      {{{"track", stream}, {"track", stream}, {"level", "0"}, {"index", "0"}}, 400},
      {{{"track", "-1"}, {"level", "0"}, {"index", "0"}}, 400},
      {{{"track", "999"}, {"level", "0"}, {"index", "0"}}, 404},
      {{{"track", "4294967296"}, {"level", "0"}, {"index", "0"}}, 400},
      {{{"track", stream}, {"level", "54"}, {"index", "0"}}, 400},
      {{{"track", stream}, {"level", "0"}, {"index", "9223372036854775807"}}, 400},
      {{{"track", stream}, {"level", "0"}, {"index", "9999999999999999999999"}}, 400},
      {{{"track", stream}, {"level", "0x1"}, {"index", "0"}}, 400},
      {{{"track", stream}, {"level", " 1"}, {"index", "0"}}, 400},
      {{{"track", track("busy")}, {"level", "0"}, {"index", "0"}}, 404},
      {{{"track", stream}, {"level", "0"}, {"index", "-1"}}, 200},
      {{{"track", stream}, {"level", "53"}, {"index", "0"}}, 200},
  };
  for (const auto& [query, status] : tiles) {
    const Answer answer = get("/api/p/0/tile", query);
    EXPECT_EQ(answer.status, status) << answer.body;
    if (status != 200) {
      EXPECT_LT(answer.body.size(), 300U);
    }
  }
  for (const char* path : {"/api/nothing",
                           "/api/",
                           "/api",
                           "/api/session",
                           "/api/p/",
                           "/api/p/0",
                           "/api/p/0/",
                           "/api/p//session",
                           "/api/p/1/session",
                           "/api/p/-1/session",
                           "/api/p/0x0/session",
                           "/api/p/99999999999999999999/session",
                           "/api/p/0/nothing",
                           "/etc/passwd",
                           "/../../etc/passwd",
                           "/index.html/",
                           "//index.html",
                           "/api/p/0/tile/",
                           "/web/dist/app.js",
                           ""}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
  EXPECT_EQ(get("/api/p/0/slice", {{"track", stream}, {"slice", "0"}}).status, 404);  // on another track
  EXPECT_EQ(get("/api/p/0/slice", {{"track", stream}, {"slice", "4294967295"}}).status, 404);
  EXPECT_EQ(get("/api/p/0/counter", {{"track", stream}, {"level", "0"}, {"index", "0"}}).status, 404);
  EXPECT_EQ(get("/api/p/0/activity", {{"track", stream}, {"level", "0"}, {"index", "0"}}).status, 404);
}

Session other_session() {
  TestRun run;
  const SliceIndex call = run.host(SliceKind::runtime_call, "hipLaunchKernel", 100, 20);
  run.kernel("other_kernel", 150, 500, {.launch = call});
  run.kernel("other_kernel", 700, 200);
  return session_of(std::move(run));
}

/// What is asked for in any order, with its answer by a viewer that has only this profile.
class TwoProfiles : public ::testing::Test {
 protected:
  TwoProfiles() : viewer("1.2.3") {
    const std::vector<Query> queries = {
        {"session", {}},
        {"names/0", {}},
        {"table/kernels", {}},
        {"table/kernels", {{"names", "base"}, {"from", "100"}, {"to", "600"}}},
        {"table/idle", {}},
        {"table/slices", {{"sort", "duration_ns"}, {"top", "3"}}},
        {"area", {{"from", "10"}, {"to", "500"}}},
        {"flame", {}},
        {"search", {{"q", "kernel"}}},
        {"distributions", {{"table", "api"}}},
        {"tile", {{"track", "0"}, {"level", "0"}, {"index", "0"}}},
        {"slice", {{"track", "0"}, {"slice", "0"}}},
    };
    for (const size_t profile : {0, 1}) {
      const auto session = profile == 0 ? viewed_session : other_session;
      Viewer alone("1.2.3");
      alone.add({}).show(session());
      for (const Query& query : queries) {
        const Answer answer = alone.answer({"/api/p/0/" + query.what, query.parameters});
        expected.push_back({fmt::format("/api/p/{}/{}", profile, query.what), query.parameters, answer.status,
                            without_id(answer.body, alone)});
      }
      viewer.add({fmt::format("{}.json", profile)}).show(session());
    }
  }

  struct Query {
    std::string what;
    std::multimap<std::string, std::string> parameters;
  };
  struct Expected {
    std::string path;
    std::multimap<std::string, std::string> parameters;
    int status;
    std::string body;
  };
  static std::string without_id(std::string body, const Viewer& viewer) {
    const size_t at = body.find(viewer.identity().id);
    return at == std::string::npos ? body : body.erase(at, viewer.identity().id.size());
  }
  void expect_answer(const Expected& each) const {
    const Answer answer = viewer.answer({each.path, each.parameters});
    EXPECT_EQ(answer.status, each.status) << each.path;
    EXPECT_EQ(without_id(answer.body, viewer), each.body) << each.path;
  }

  Viewer viewer;
  std::vector<Expected> expected;
};

TEST_F(TwoProfiles, AnswersOfEachAreThoseOfItsOwn) {
  expect_has(viewer.answer({"/api/status", {}}).body, R"("inputs":["0.json"]},{"state":"ready")");
  const size_t half = expected.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    EXPECT_EQ(expected[i].status, expected[half + i].status) << expected[i].path;
    EXPECT_NE(expected[i].body, expected[half + i].body) << expected[i].path << ": the two do not differ";
  }
  for (const Expected& each : expected) expect_answer(each);
  for (size_t i = 0; i < half; ++i) {  // in turns
    expect_answer(expected[half - 1 - i]);
    expect_answer(expected[half + i]);
  }
}

TEST_F(TwoProfiles, AskedByManyThreadsAtOnce) {
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 8; ++seed) {
    threads.emplace_back([this, seed] {
      std::vector<Expected> mine = expected;
      std::shuffle(mine.begin(), mine.end(), std::mt19937(seed));
      for (const Expected& each : mine) expect_answer(each);
    });
  }
}

TEST_F(TwoProfiles, OneThatCannotBeOpenedDoesNotDisturbTheOthers) {
  ViewedProfile& third = viewer.add({"third.json"});
  EXPECT_EQ(viewer.answer({"/api/p/2/session", {}}).status, 503);
  EXPECT_FALSE(viewer.is_fixed("/api/p/2/session"));
  third.fail("third.json: is no profile");
  EXPECT_EQ(viewer.answer({"/api/p/2/session", {}}).status, 503);
  expect_has(viewer.answer({"/api/status", {}}).body,
             R"("error":"third.json: is no profile","inputs":["third.json"]}])");
  EXPECT_TRUE(viewer.is_fixed("/api/p/1/session"));
  EXPECT_FALSE(viewer.is_fixed("/api/status"));
  EXPECT_FALSE(viewer.is_fixed("/"));
  for (const Expected& each : expected) expect_answer(each);
}

}  // namespace
}  // namespace cgpu
