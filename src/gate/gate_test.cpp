#include <gtest/gtest.h>

#include "gate/check/check.h"
#include "gate/check/check_output.h"
#include "gate/figures/collect_figures.h"

namespace cgpu {
namespace {

/// A run of one rank with iterations of these lengths (us).
CheckedRun run_of(const std::vector<int64_t>& us, int64_t gemm_us = 400) {
  CheckedRun run{"folder/run.json", {}};
  RunFigures& figures = run.figures;
  figures.formats["kineto"] = 1;
  figures.ranks = figures.world_size = 1;
  figures.devices["H100"] = 1;
  figures.peak_bytes = int64_t{8} << 30;
  figures.steady = static_cast<int64_t>(us.size());
  for (size_t i = 0; i < us.size(); ++i) {
    figures.iterations[static_cast<int64_t>(i)] = {us[i] * 1000, us[i] * 800, 0, us[i] * 200, 1, true, false};
  }
  const auto time = [&](int64_t each_us) { return TimeFigure{figures.steady, each_us * 1000 * figures.steady, 0.002}; };
  figures.ops["aten::mm"] = time(gemm_us);
  figures.ops["aten::add"] = time(300);
  figures.classes["gemm"] = time(gemm_us);
  figures.shapes["aten::mm"] = {{1}, 100};
  figures.shapes["aten::add"] = {{2}, 100};
  return run;
}

std::vector<CheckedRun> runs_of(const std::vector<int64_t>& middles, int64_t gemm_us = 400) {
  std::vector<CheckedRun> runs;
  for (const int64_t middle : middles)
    runs.push_back(run_of({middle - 20, middle, middle + 10, middle, middle - 5, middle}, gemm_us));
  return runs;
}

const CheckedRule& rule(const CheckResult& result, const std::string& name) {
  for (const CheckedRule& each : result.rules) {
    if (each.name == name) return each;
  }
  throw std::logic_error("no rule " + name);
}

TEST(Gate, ARunAgainstItselfPasses) {
  const auto runs = runs_of({10000, 10100, 9900, 10050, 9950});
  EXPECT_EQ(check_runs(runs, runs, {}).outcome, Outcome::pass);
  const std::vector<CheckedRun> one = {runs.front()};
  EXPECT_EQ(check_runs(one, one, {}).outcome, Outcome::pass);
  const std::vector<CheckedRun> noisy = {run_of({5000, 20000, 1000, 9000, 30000, 12000})};
  EXPECT_EQ(check_runs(noisy, noisy, {}).outcome, Outcome::pass);
}

TEST(Gate, SlowerBeyondToleranceAndFloorIsARegression) {
  const auto before = runs_of({10000, 10100, 9900, 10050, 9950});
  const auto after = runs_of({11000, 11100, 10900, 11050, 10950});
  const CheckResult result = check_runs(before, after, {});
  EXPECT_EQ(result.outcome, Outcome::regression);
  EXPECT_EQ(rule(result, "step_time").outcome, Outcome::regression);
  EXPECT_EQ(result.exit_code(CheckOptions::Inconclusive::report), 1);
  const CheckResult mirrored = check_runs(after, before, {});
  EXPECT_EQ(mirrored.outcome, Outcome::pass);
  EXPECT_NE(mirrored.headline.find("faster"), std::string::npos);

  CheckOptions tolerant;
  tolerant.tolerance = 0.2;
  EXPECT_EQ(check_runs(before, after, tolerant).outcome, Outcome::pass);
  CheckOptions coarse;
  coarse.floor_ns = 2'000'000;
  EXPECT_EQ(check_runs(before, after, coarse).outcome, Outcome::pass);
}

TEST(Gate, FewRunsAreInconclusiveUnlessTheChangeIsBeyondTheNoise) {
  const auto before = runs_of({10000});
  EXPECT_EQ(check_runs(before, runs_of({10100}), {}).outcome, Outcome::pass);
  EXPECT_EQ(check_runs(before, runs_of({10700}), {}).outcome, Outcome::inconclusive);
  EXPECT_EQ(check_runs(before, runs_of({13000}), {}).outcome, Outcome::regression);
  const CheckResult unsure = check_runs(before, runs_of({10700}), {});
  EXPECT_EQ(unsure.exit_code(CheckOptions::Inconclusive::report), 3);
  EXPECT_EQ(unsure.exit_code(CheckOptions::Inconclusive::pass), 0);
  EXPECT_EQ(unsure.exit_code(CheckOptions::Inconclusive::fail), 1);

  auto short_runs = runs_of({10000});  // three iterations say nothing of their noise
  auto slower = runs_of({20000});
  for (auto* side : {&short_runs, &slower}) {
    auto& iterations = side->front().figures.iterations;
    iterations.erase(std::next(iterations.begin(), 3), iterations.end());
  }
  EXPECT_EQ(check_runs(short_runs, slower, {}).outcome, Outcome::inconclusive);
}

TEST(Gate, RareSlowIterationsRaiseTheMean) {
  std::vector<CheckedRun> before;
  std::vector<CheckedRun> after;
  for (int run = 0; run < 5; ++run) {
    std::vector<int64_t> us(30, 10000 + 10 * run);
    before.push_back(run_of(us));
    for (size_t i = 0; i < us.size(); i += 10) us[i] = 30000;
    after.push_back(run_of(us));
  }
  const CheckResult result = check_runs(before, after, {});
  EXPECT_EQ(rule(result, "step_time").outcome, Outcome::pass);
  EXPECT_EQ(rule(result, "step_time_mean").outcome, Outcome::regression);
}

TEST(Gate, ASlowerOpIsNamed) {
  const auto before = runs_of({10000, 10100, 9900, 10050, 9950});
  const auto after = runs_of({10010, 10110, 9910, 10060, 9960}, 1000);
  const CheckResult result = check_runs(before, after, {});
  EXPECT_EQ(result.outcome, Outcome::regression);
  EXPECT_EQ(rule(result, "step_time").outcome, Outcome::pass);
  EXPECT_NE(rule(result, "ops").text.find("1 of 2 slower: aten::mm +600.0 us (+150%)"), std::string::npos)
      << rule(result, "ops").text;
}

/// What check_parts says of an op.
std::string verdict_of_op(const CheckResult& result, const std::string& name) {
  for (const Table& table : result.tables) {
    if (table.name != "check_parts") continue;
    const auto text = [&](size_t row, const char* column) {
      return std::get<std::string>(table.cell(row, table.column(column)));
    };
    for (size_t row = 0; row < table.row_count(); ++row) {
      if (text(row, "kind") == "op" && text(row, "name") == name) return text(row, "verdict");
    }
  }
  throw std::logic_error("no op " + name);
}

TEST(Gate, WhatAnOpMayTakeMoreIsAShareOfTheStep) {
  const auto before = runs_of({10000, 10100, 9900, 10050, 9950});
  // 40 % more of the op is 1.6 % of the step.
  const auto after = runs_of({10010, 10110, 9910, 10060, 9960}, 560);
  const CheckResult passed = check_runs(before, after, {});
  EXPECT_EQ(passed.outcome, Outcome::pass) << passed.headline;
  EXPECT_FALSE(rule(passed, "ops").warns);
  EXPECT_EQ(verdict_of_op(passed, "aten::mm"), "pass");
  CheckOptions strict;
  strict.tolerance = 0.01;
  const CheckResult failed = check_runs(before, after, strict);
  EXPECT_EQ(failed.outcome, Outcome::regression) << failed.headline;
  EXPECT_EQ(verdict_of_op(failed, "aten::mm"), "regression");
  // The floor stays: 60 us more of the op are 15 % of it and 6 % of a step of 1 ms.
  const auto small = runs_of({1000, 1010, 990, 1005, 995});
  EXPECT_EQ(check_runs(small, runs_of({1000, 1010, 990, 1005, 995}, 460), {}).outcome, Outcome::pass);
}

TEST(Gate, ASlowerOpInsideAFasterRunIsAWarning) {
  const auto before = runs_of({10000, 10100, 9900, 10050, 9950});
  const CheckResult result = check_runs(before, runs_of({8000, 8080, 7920, 8040, 7960}, 1000), {});
  EXPECT_EQ(result.outcome, Outcome::pass);
  EXPECT_TRUE(rule(result, "ops").warns);
  EXPECT_TRUE(result.headline.starts_with("faster than the baseline; step_time: 10.0 ms to 8.00 ms, -20%"))
      << result.headline;
  EXPECT_NE(
      result.headline.find("a warning: ops: 1 of 2 slower: aten::mm +600.0 us (+150%); but an iteration is faster"),
      std::string::npos)
      << result.headline;
  const std::string annotations = check_as_annotations(result, CheckOptions::Inconclusive::report);
  EXPECT_NE(annotations.find("::warning title=cgpu check ops::"), std::string::npos) << annotations;
  EXPECT_NE(annotations.find("::notice title=cgpu check pass::"), std::string::npos) << annotations;

  // Faster by more than the tolerance, but the noise could have done that.
  const std::vector<CheckedRun> noisy = {run_of({10000, 10900, 9100, 10600, 9400, 10300, 9700, 10000})};
  const std::vector<CheckedRun> seems_faster = {run_of({9300, 10200, 8400, 9900, 8700, 9600, 9000, 9300}, 1000)};
  const CheckResult unsure = check_runs(noisy, seems_faster, {});
  EXPECT_EQ(rule(unsure, "step_time").outcome, Outcome::pass) << rule(unsure, "step_time").text;
  EXPECT_EQ(rule(unsure, "ops").outcome, Outcome::inconclusive) << rule(unsure, "ops").text;
  EXPECT_NE(unsure.headline.find("seems faster, which is not sure"), std::string::npos) << unsure.headline;
  EXPECT_NE(unsure.headline.find("; step_time: "), std::string::npos) << unsure.headline;

  // A noise that shows nothing of the iteration leaves it to the op.
  const std::vector<CheckedRun> wild = {run_of({10000, 13000, 9000, 12000, 8000, 11000, 10000})};
  const CheckResult by_op = check_runs(wild, {run_of({9300, 12000, 8300, 11200, 7300, 10300, 9300}, 1000)}, {});
  EXPECT_EQ(rule(by_op, "step_time").outcome, Outcome::inconclusive) << rule(by_op, "step_time").text;
  EXPECT_EQ(by_op.outcome, Outcome::regression) << by_op.headline;

  // As long as before: what is slower counts, and the first line says how long an iteration takes.
  const CheckResult same = check_runs(before, runs_of({9990, 10090, 9890, 10040, 9940}, 1000), {});
  EXPECT_EQ(same.outcome, Outcome::regression);
  EXPECT_NE(same.headline.find("; step_time: 10.0 ms to 9.99 ms"), std::string::npos) << same.headline;
}

TEST(Gate, WorkThatMovedIsNoRegression) {
  auto before = runs_of({10000, 10100, 9900, 10050, 9950});
  for (CheckedRun& run : before) run.figures.ops["aten::add"].total_ns += 600'000 * run.figures.steady;
  auto after = before;
  for (CheckedRun& run : after) {
    run.figures.ops["aten::mm"].total_ns += 600'000 * run.figures.steady;
    run.figures.ops["aten::add"].total_ns -= 600'000 * run.figures.steady;
  }
  const CheckResult result = check_runs(before, after, {});
  EXPECT_EQ(result.outcome, Outcome::pass);
  EXPECT_NE(rule(result, "ops").text.find("work that moved"), std::string::npos);
}

TEST(Gate, MoreMemoryIsARegression) {
  const auto before = runs_of({10000});
  auto after = before;
  after.front().figures.peak_bytes = int64_t{9} << 30;
  EXPECT_EQ(rule(check_runs(before, after, {}), "memory").outcome, Outcome::regression);
  EXPECT_EQ(check_runs(after, before, {}).outcome, Outcome::pass);
}

TEST(Gate, UnlikeRunsAreNotComparableUnlessAllowed) {
  const auto before = runs_of({10000});
  const auto check_with = [&](auto change, const std::string& kind) {
    auto after = before;
    change(after.front().figures);
    const CheckResult result = check_runs(before, after, {});
    EXPECT_EQ(result.outcome, Outcome::not_comparable) << kind;
    EXPECT_NE(result.headline.find("--allow " + kind), std::string::npos) << result.headline;
    CheckOptions options;
    options.allowed = {kind};
    EXPECT_EQ(check_runs(before, after, options).outcome, Outcome::pass) << kind;
  };
  check_with([](RunFigures& figures) { figures.devices = {{"A100", 1}}; }, "devices");
  check_with([](RunFigures& figures) { figures.world_size = 8; }, "devices");
  check_with([](RunFigures& figures) { figures.iterations.erase(5); }, "iterations");
  check_with(
      [](RunFigures& figures) {
        for (auto& [op, shape] : figures.shapes) shape.shapes.push_back(UINT64_MAX);
      },
      "shapes");
  auto one_op = before;
  one_op.front().figures.shapes["aten::add"].shapes.push_back(UINT64_MAX);  // half of the time
  EXPECT_EQ(check_runs(before, one_op, {}).outcome, Outcome::pass);

  auto slow_clock = before;
  auto fast_clock = before;
  slow_clock.front().figures.clocks["SM clock"] = 1.2e9;
  fast_clock.front().figures.clocks["SM clock"] = 1.9e9;
  EXPECT_EQ(check_runs(slow_clock, fast_clock, {}).outcome, Outcome::not_comparable);
  EXPECT_EQ(check_runs(before, fast_clock, {}).outcome, Outcome::pass);  // not recorded: not compared
}

TEST(Gate, WithoutIterationsTheAmountOfWorkCounts) {
  auto before = runs_of({10000});
  before.front().figures.iterations.clear();
  before.front().figures.span_ns = 1'000'000'000;
  auto after = before;
  after.front().figures.span_ns = 2'000'000'000;
  EXPECT_EQ(check_runs(before, after, {}).outcome, Outcome::inconclusive);  // nothing tells how noisy
  after.front().figures.classes["gemm"].count *= 2;
  EXPECT_EQ(check_runs(before, after, {}).outcome, Outcome::not_comparable);
}

TEST(Figures, WarmUpIsWhatTakesFarLonger) {
  EXPECT_EQ(warm_up_iterations({}), 0U);
  EXPECT_EQ(warm_up_iterations({50, 10}), 1U);
  EXPECT_EQ(warm_up_iterations({50, 30, 10, 11, 10, 10}), 2U);
  EXPECT_EQ(warm_up_iterations({12, 10, 11, 10, 10}), 0U);
  EXPECT_EQ(warm_up_iterations({20, 5, 30, 11, 15, 40}), 0U);  // as noisy later
}

TEST(Figures, FoldingDoesNotDependOnTheOrder) {
  RunFigures a = run_of({100, 110}).figures;
  RunFigures b = run_of({120, 90}, 500).figures;
  b.recorded = 5;
  b.formats = {{"nsys-sqlite", 1}};
  b.devices["A100"] = 2;
  RunFigures ab = a;
  ab.combine(b);
  RunFigures ba = b;
  ba.combine(a);
  MessageWriter first;
  MessageWriter second;
  first(ab);
  second(ba);
  EXPECT_EQ(first.bytes(), second.bytes());
  EXPECT_EQ(ab.iterations[0].wall_ns, 120'000);
  EXPECT_EQ(ab.iterations[0].devices, 2);
  EXPECT_EQ(ab.ranks, 2);

  RunFigures read;
  MessageReader(first.bytes(), "figures")(read);
  MessageWriter third;
  third(read);
  EXPECT_EQ(third.bytes(), first.bytes());
}

TEST(Output, JunitCountsAndEscapes) {
  CheckResult result;
  result.rules = {{"a", Outcome::pass, "x"}, {"b", Outcome::regression, "<&\">"}, {"c", Outcome::inconclusive, "y"}};
  const std::string xml = check_as_junit(result, CheckOptions::Inconclusive::report);
  EXPECT_NE(xml.find("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), std::string::npos);
  EXPECT_EQ(xml.find("<&"), std::string::npos);
  EXPECT_NE(check_as_junit(result, CheckOptions::Inconclusive::fail).find("failures=\"2\""), std::string::npos);
}

TEST(Output, AnnotationsAreOneLineEach) {
  CheckResult result;
  result.outcome = Outcome::regression;
  result.headline = "slower by 7%\n::error::forged";
  result.rules = {{"step_time", Outcome::regression, "+7%"}};
  EXPECT_EQ(check_as_annotations(result, CheckOptions::Inconclusive::report).find("\n::error::forged"),
            std::string::npos);
  EXPECT_NE(check_as_annotations(result, CheckOptions::Inconclusive::report).find("+7%25"), std::string::npos);
}

}  // namespace
}  // namespace cgpu
