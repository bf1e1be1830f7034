#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <regex>

#include "analysis/common/slices_by_name.h"
#include "analysis/random_run.h"
#include "serve/endpoints/endpoints.h"
#include "serve/selection.h"
#include "serve/test_json.h"

namespace cgpu {
namespace {

using Query = std::multimap<std::string, std::string>;

Session random_session(unsigned seed) {
  RandomRun run(seed,
                {{SliceKind::framework_op, "aten::mm<int>(int)"},
                 {SliceKind::framework_op, ""},
                 {SliceKind::annotation, "range"},
                 {SliceKind::os_call, "poll"},
                 {SliceKind::runtime_call, "cudaLaunchKernel"},
                 {SliceKind::runtime_call, "cudaDeviceSynchronize"}},
                HostShape::nested);
  DeviceOps& ops = run.run.timeline.device_ops;
  Timeline& timeline = run.run.timeline;
  for (OpIndex op = 0; op < ops.size(); ++op) {
    const SliceKind kind = timeline.kind(ops.slice[op]);
    if (kind == SliceKind::memset) ops.copy[op] = CopyKind::memset;
    if (kind == SliceKind::memcpy) {
      ops.copy[op] = op % 2 == 0 ? CopyKind::HtoD : CopyKind::DtoH;
      ops.source[op] = op % 3 == 0 ? MemoryKind::pinned : MemoryKind::none;
    }
    if (kind == SliceKind::kernel) {
      timeline.slices.name[ops.slice[op]] = timeline.names.intern(fmt::format("void kernel<{}>(int)", op % 3));
    }
  }
  return session_of(std::move(run));
}

struct Shown {
  int64_t count = 0;
  int64_t total = 0;
  std::vector<int64_t> bars;
};

/// By the text of the key.
std::map<std::string, Shown> distributions(const Profile& profile, Query query) {
  const std::string body = answer_distributions(profile, {"/api/p/0/distributions", std::move(query)}).body;
  EXPECT_TRUE(test::JsonCheck::is_valid(body)) << body;
  static const std::regex row(
      R"~(\{"key":\[([^\]]*)\],"count":(\d+),"total":(\d+),"min":\d+,"max":\d+,"counts":\[([\d,]*)\]\})~");
  std::map<std::string, Shown> rows;
  for (std::sregex_iterator at(body.begin(), body.end(), row); at != std::sregex_iterator(); ++at) {
    Shown& shown = rows[(*at)[1]];
    shown.count = std::stoll((*at)[2]);
    shown.total = std::stoll((*at)[3]);
    std::istringstream bars((*at)[4]);
    for (std::string bar; std::getline(bars, bar, ',');) shown.bars.push_back(std::stoll(bar));
  }
  return rows;
}

std::string json_of(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "null" : '"' + *text + '"';
}

/// What a table says of its rows, which the distributions must say too.
void expect_equal(const Profile& profile, const Query& query, const Table& table, const std::string& what) {
  const std::map<std::string, Shown> shown = distributions(profile, query);
  EXPECT_EQ(shown.size(), table.row_count()) << what;
  for (size_t row = 0; row < table.row_count(); ++row) {
    std::string key;
    for (const std::string& column : find_analysis(table.name).row_slices.keys) {
      key += (key.empty() ? "" : ",") + json_of(table.cell(row, table.column(column)));
    }
    ASSERT_EQ(shown.count(key), 1U) << what << " " << key;
    const Shown& found = shown.at(key);
    if (table.name != "collectives") {  // which counts instances
      EXPECT_EQ(found.count, integer_at(table, row, "count")) << what;
    }
    if (table.name != "ops") {  // which has the outermost only
      EXPECT_EQ(found.total, integer_at(table, row, "total_ns")) << what;
    }
    EXPECT_EQ(std::accumulate(found.bars.begin(), found.bars.end(), int64_t{0}), found.count) << what;
  }
}

TEST(Rows, DistributionsAreOfTheRowsOfTheTables) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Profile profile(random_session(seed));
    const int64_t span = profile.view().span();
    const int64_t from = span / 5;
    const int64_t to = from + 1 + seed % (span - from);
    ViewSelection selection;
    selection.from = from;
    selection.to = to;
    const SelectedSession window(profile, selection);
    for (const char* name : {"kernels", "ops", "api", "os_calls", "ranges", "transfers", "collectives"}) {
      const Analysis& analysis = find_analysis(name);
      for (const bool base_names : {false, true}) {
        if (base_names && analysis.options.empty()) continue;
        TableOptions options;
        if (base_names) options.set(kNamesOption, {"base"});
        Query query = {{"table", name}};
        if (base_names) query.insert({"names", "base"});
        expect_equal(profile, query, make_table(analysis, profile.facts(), options), fmt::format("{} {}", name, seed));
        query.insert({{"from", std::to_string(from)}, {"to", std::to_string(to)}});
        expect_equal(profile, query, make_table(analysis, window.facts(), options),
                     fmt::format("{} {} cut", name, seed));
      }
    }
  }
}

TEST(Rows, OfCallsThatLaunchedAndOfAllSlices) {
  TestRun run;
  const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 0, 10);
  run.host(SliceKind::runtime_call, "cudaLaunchKernel", 20, 10);
  run.kernel("k", 30, 5, {.launch = call});
  const Profile profile(session_of(std::move(run)));
  EXPECT_EQ(distributions(profile, {{"table", "launches"}}).at("\"cudaLaunchKernel\"").count, 1);
  const auto all = distributions(profile, {{"table", "slices"}, {"top", "1"}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.at("\"cudaLaunchKernel\"").total, 20);
  EXPECT_THROW(distributions(profile, {{"table", "idle"}}), RequestError);
}

std::string row(const Profile& profile, Query query) {
  return answer_row(profile, {"/api/p/0/row", std::move(query)}).body;
}

TEST(Rows, TheLongestSlicesOfARow) {
  TestRun run;
  run.kernel("void k<1>(int)", 0, 10);
  run.kernel("void k<1>(int)", 20, 30);
  run.kernel("void k<2>(int)", 60, 20);
  run.memcpy("Memcpy", 100, 7, {CopyKind::HtoD, MemoryKind::pinned, MemoryKind::device, 4});
  run.memcpy("Memcpy", 110, 8, {CopyKind::HtoD, MemoryKind::none, MemoryKind::device, 4});
  const Profile profile(session_of(std::move(run)));
  const auto starts = [&](Query query) {
    const std::string body = row(profile, std::move(query));
    EXPECT_TRUE(test::JsonCheck::is_valid(body)) << body;
    std::vector<int> found;
    static const std::regex start(R"("start":(\d+))");
    for (std::sregex_iterator at(body.begin(), body.end(), start); at != std::sregex_iterator(); ++at) {
      found.push_back(std::stoi((*at)[1]));
    }
    return found;
  };
  EXPECT_EQ(starts({{"table", "kernels"}, {"name", "void k<1>(int)"}}), (std::vector{20, 0}));
  EXPECT_EQ(starts({{"table", "kernels"}, {"name", "k"}, {"names", "base"}}), (std::vector{20, 60, 0}));
  EXPECT_EQ(starts({{"table", "kernels"}, {"name", "k"}, {"names", "base"}, {"limit", "1"}}), std::vector{20});
  EXPECT_EQ(starts({{"table", "kernels"}, {"name", "void k<1"}, {"cut", "1"}}), (std::vector{20, 0}));
  // In the window only 5 ns of the long one are left.
  EXPECT_EQ(starts({{"table", "kernels"}, {"name", "void k<1>(int)"}, {"from", "0"}, {"to", "25"}}),
            (std::vector{0, 20}));
  EXPECT_EQ(starts({{"table", "transfers"}, {"kind", "HtoD"}, {"src_memory", "pinned"}, {"dst_memory", "device"}}),
            std::vector{100});
  EXPECT_EQ(starts({{"table", "transfers"}, {"kind", "HtoD"}, {"dst_memory", "device"}}), std::vector{110});
  EXPECT_NE(row(profile, {{"table", "kernels"}, {"name", "k"}, {"names", "base"}, {"limit", "1"}})
                .find(R"({"count":3,"total":60,"min":10,"max":30,"slices":[)"),
            std::string::npos);
  EXPECT_THROW(row(profile, {{"table", "kernels"}, {"name", "nobody"}}), RequestError);
  EXPECT_THROW(row(profile, {{"table", "kernels"}, {"name", "void k<1"}}), RequestError);
  EXPECT_THROW(row(profile, {{"table", "kernels"}, {"name", "void k<1>(int)"}, {"to", "0"}}), RequestError);
  EXPECT_THROW(row(profile, {{"table", "secrets"}, {"name", "k"}}), RequestError);
  EXPECT_THROW(row(profile, {{"table", "kernels"}, {"kind", "HtoD"}}), RequestError);  // of another table
  EXPECT_THROW(row(profile, {{"table", "ops"}, {"name", "k"}, {"names", "base"}}), RequestError);
  EXPECT_THROW(row(profile, {{"table", "kernels"}, {"name", "k"}, {"names", "short"}}), RequestError);
}

}  // namespace
}  // namespace cgpu
