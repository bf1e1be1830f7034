#include "gate/summarize.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/partial_bytes.h"
#include "base/error.h"
#include "base/test_file.h"
#include "gate/figures/collect_figures.h"
#include "gate/statistics/random_numbers.h"
#include "session/summaries/summary.h"
#include "session/summaries/summary_session.h"

namespace cgpu {
namespace {

std::string event(const std::string& category, const std::string& name, int process, int thread, int64_t start,
                  int64_t duration, const std::string& arguments) {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": )" + std::to_string(process) +
         R"(, "tid": )" + std::to_string(thread) + R"(, "ts": )" + std::to_string(start) + R"(, "dur": )" +
         std::to_string(duration) + R"(, "args": {)" + arguments + "}},\n";
}

/// Seven steps of three ops with a kernel each, a copy, and an allocation.
std::string trace() {
  std::string events;
  int correlation = 0;
  for (int step = 0; step < 7; ++step) {
    const int64_t begin = 1'000'000 + step * 10'000;
    events += event("user_annotation", "ProfilerStep#" + std::to_string(step), 100, 1, begin, 9000, "");
    for (int op = 0; op < 3; ++op) {
      const int64_t at = begin + 100 + op * 2000;
      events += event("cpu_op", op == 1 ? "aten::add" : "aten::mm", 100, 1, at, 1500,
                      R"("Input Dims": [[16, 32], [32, 64]], "Input type": ["float", "float"])");
      const std::string id = "\"correlation\": " + std::to_string(++correlation);
      events += event("cuda_runtime", "cudaLaunchKernel", 100, 1, at + 10, 20, id);
      events += event("kernel", op == 1 ? "elementwise_kernel" : "sgemm_kernel", 0, 7, at + 100, 1000 + step,
                      id + R"(, "device": 0, "stream": 7, "grid": [4, 1, 1], "block": [32, 1, 1])");
    }
    events += R"({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 100, "tid": 1, "ts": )" +
              std::to_string(begin + 50) +
              R"(, "args": {"Device Type": 1, "Device Id": 0, "Addr": 1, "Bytes": 64, "Total Allocated": 6400,
                 "Total Reserved": 9000}},)";
  }
  events.resize(events.find_last_of(','));
  return R"({"schemaVersion": 1, "host_name": "secret-node-17", "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],
            "traceEvents": [)" +
         events + "]}";
}

OpenOptions opening(const std::string& path) {
  OpenOptions open;
  open.inputs = {path};
  open.threads = 1;
  return open;
}

std::map<std::string, std::string> partials_in(const SummaryFile& summary) {
  const Summary read = summary_from_bytes(summary.bytes, "x");
  const std::string record = read.record(0);
  return read.reader_of(0, record).partials();
}

TEST(Summarize, EveryTableIsThatOfTheProfile) {
  const test::TestFile file(trace());
  const SummaryFile summary = summarize(ProfileSource(opening(file.path())), true);
  EXPECT_TRUE(summary.left_out.empty());
  EXPECT_LT(summary.bytes.size(), 30'000U);
  const SummarySession summary_session(summary_from_bytes(summary.bytes, "x"), opening("x"));
  EXPECT_GT(partials_in(summary).size(), 20U);
  const Session session = ProfileSource(opening(file.path())).open();
  size_t rows = 0;
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.events != nullptr || analysis.name == "info") continue;
    const Table expected = make_table(analysis.name, session);
    const Table kept = summary_session.tables({{&analysis}}).at(0);
    EXPECT_TRUE(kept == expected) << analysis.name;
    rows += expected.row_count();
  }
  EXPECT_GT(rows, 60U);
}

TEST(Summarize, FiguresAreThoseOfTheProfile) {
  const test::TestFile file(trace());
  const RunFigures kept = figures_in(SummarySession(
      summary_from_bytes(summarize(ProfileSource(opening(file.path())), false).bytes, "x"), opening("x")));
  EXPECT_EQ(kept.iterations.size(), 7U);
  EXPECT_EQ(kept.steady, 7);
  EXPECT_EQ(kept.peak_bytes, 6400);
  EXPECT_EQ(kept.devices, (std::map<std::string, int64_t>{{"NVIDIA H100", 1}}));
  EXPECT_EQ(kept.ops.at("aten::mm").count, 14);
  EXPECT_EQ(kept.ops.at("aten::mm").total_ns, 2 * 1000 * (7 * 1000 + 21));
  EXPECT_TRUE(kept.ops.at("aten::mm").error.has_value());
  EXPECT_EQ(kept.classes.at("gemm").total_ns, kept.ops.at("aten::mm").total_ns);
  EXPECT_EQ(kept.shapes.size(), 2U);
  EXPECT_EQ(kept.iterations.at(3).wall_ns, 9'000'000);
  EXPECT_EQ(kept.iterations.at(3).busy_ns, 3 * 1'003'000);
  EXPECT_EQ(kept.iterations.at(3).idle_ns, 9'000'000 - 3 * 1'003'000);
}

TEST(Summarize, NamesOfMachinesStayOutUnlessAskedFor) {
  const test::TestFile file(trace());
  const auto holds = [&](bool with_host) {
    const SummaryFile made = summarize(ProfileSource(opening(file.path())), with_host);
    const Summary summary = summary_from_bytes(made.bytes, "x");
    std::string all = run_part(summary.reader_of(0, summary.record(0)).run());
    for (const Table& table : summary.finished().tables) {
      for (const RowView row : table.rows()) {
        for (const Cell& cell : row.cells()) {
          if (std::holds_alternative<std::string>(cell)) all += std::get<std::string>(cell);
        }
      }
    }
    for (const auto& [name, bytes] : partials_in(made)) all += bytes;
    EXPECT_EQ(all.find("/tmp"), std::string::npos);
    return all.find("secret-node") != std::string::npos;
  };
  EXPECT_FALSE(holds(false));
  EXPECT_TRUE(holds(true));
}

TEST(Summarize, DamagedContentIsRefusedOrRead) {
  const test::TestFile file(trace());
  const SummaryFile whole = summarize(ProfileSource(opening(file.path())), false);
  RandomNumbers random(1);
  size_t read = 0;
  for (const auto& [name, bytes] : partials_in(whole)) {
    const Analysis& analysis = find_analysis(name);
    for (int change = 0; change < 60; ++change) {
      std::string damaged = bytes;
      for (size_t i = 0; i < 1 + random.below(3); ++i)
        damaged[random.below(damaged.size())] = static_cast<char>(random.bits());
      try {
        const auto partial = partial_from_bytes(analysis, {}, damaged, "x");
        Session session;
        session.runs.emplace_back().released_totals.emplace();
        const SessionFacts facts(session);
        const Table table = partial->finalize({facts, {0}});
        for (const RowView row : table.rows()) EXPECT_EQ(row.cells().size(), table.columns.size());
        ++read;
      } catch (const Error&) {
      }
    }
  }
  EXPECT_GT(read, 100U);
}

TEST(Summarize, OfACallTreeItKeepsTheCallPaths) {
  const test::TestFile file("main;work 3\nmain 2\n");
  OpenOptions open = opening(file.path());
  open.input_format = "folded";
  const RunFigures figures =
      figures_in(SummarySession(summary_from_bytes(summarize(ProfileSource(open), false).bytes, "x"), opening("x")));
  EXPECT_EQ(figures.calls.metric, "samples");
  EXPECT_EQ(figures.calls.whole, 5);
  ASSERT_EQ(figures.calls.paths.size(), 2U);
  EXPECT_EQ(figures.calls.paths.at("main > work").exclusive, 3);
}

TEST(Summarize, AnotherMetricThanTheOneThatItKeepsIsRefused) {
  const test::TestFile file("main;work 3\nmain 2\n");
  OpenOptions open = opening(file.path());
  open.input_format = "folded";
  const test::TestFile summary(summarize(ProfileSource(open), false).bytes, ".cgpu");
  const auto metric_of = [&](const std::string& metric) {
    return collect_figures(ProfileSource(opening(summary.path())), {.without_timeline = true, .metric = metric})
        .calls.metric;
  };
  EXPECT_EQ(metric_of(""), "samples");
  EXPECT_EQ(metric_of("Samples"), "samples");  // as people type it
  EXPECT_THROW(metric_of("cycles"), Error);
}

TEST(Summarize, WhatHasNeitherTimelineNorCallTreeIsRefused) {
  const test::TestFile file(
      "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"1\",\"5\",\"a(int)\",\"0.1\"\n");
  EXPECT_EQ(ProfileSource(opening(file.path())).open().runs.size(), 1U);
  EXPECT_THROW(summarize(ProfileSource(opening(file.path())), false), Error);
}

}  // namespace
}  // namespace cgpu
