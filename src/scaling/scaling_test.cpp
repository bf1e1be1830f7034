#include "scaling/scaling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/error.h"

namespace cgpu {
namespace {

/// A run of five iterations with device time of ops, in ns an iteration.
GivenRun run_of(double size, double step_ns, const std::map<std::string, double>& ops) {
  GivenRun run{{"run " + std::to_string(static_cast<int>(size)), {}}};
  RunFigures& figures = run.figures;
  figures.ranks = figures.world_size = static_cast<int64_t>(size);
  figures.devices["H100"] = static_cast<int64_t>(size);
  figures.steady = 5 * static_cast<int64_t>(size);
  figures.span_ns = static_cast<int64_t>(6 * step_ns);
  for (int64_t i = 0; i < 5; ++i) figures.iterations[i] = {static_cast<int64_t>(step_ns), 0, 0, 0, 1, true, false};
  for (const auto& [name, ns] : ops)
    figures.ops[name] = {figures.steady, static_cast<int64_t>(ns * static_cast<double>(figures.steady)), {}};
  return run;
}

SizedRuns series(const std::vector<double>& sizes, const std::function<std::map<std::string, double>(double)>& ops) {
  SizedRuns all;
  for (const double size : sizes) {
    double step = 0;
    for (const auto& [name, ns] : ops(size)) step += ns;
    all.runs.push_back(run_of(size, step, ops(size)));
    all.sizes.push_back(size);
  }
  return all;
}

std::map<std::string, double> of_training(double size) {
  return {{"aten::mm", 80e6},
          {"all_reduce", 10e6 * std::sqrt(size)},
          {"copy", 4e6 * std::log2(size)},
          {"tiny", size * size}};
}

std::string text(const Table& table, size_t row, const char* column) {
  const Cell cell = table.cell(row, table.column(column));
  return is_absent(cell) ? "" : std::get<std::string>(cell);
}

double real(const Table& table, size_t row, const char* column) {
  return std::get<double>(table.cell(row, table.column(column)));
}

size_t row_of(const Table& table, const std::string& name) {
  for (size_t row = 0; row < table.row_count(); ++row) {
    if (text(table, row, "name") == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  return 0;
}

std::string refusal(const SizedRuns& runs, const ScalingOptions& options = {}) {
  try {
    scaling_of(runs, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Scaling, WhatGrowsFastestIsFirst) {
  const Scaling scaling = scaling_of(series({2, 4, 8, 16, 32, 64}, of_training), {});
  const size_t mm = row_of(scaling.laws, "aten::mm");
  const size_t reduce = row_of(scaling.laws, "all_reduce");
  const size_t copy = row_of(scaling.laws, "copy");
  const size_t tiny = row_of(scaling.laws, "tiny");
  EXPECT_EQ(text(scaling.laws, reduce, "term"), "p^0.5");
  EXPECT_EQ(text(scaling.laws, copy, "term"), "log2(p)");
  EXPECT_EQ(text(scaling.laws, mm, "verdict"), "constant within noise");
  EXPECT_LT(reduce, copy);
  EXPECT_LT(copy, mm);
  EXPECT_LT(mm, tiny) << "it grows as p^2, and is far below 1 % all the same";
  EXPECT_NEAR(real(scaling.laws, reduce, "predicted"), 10e6 * std::sqrt(128.0), 1e3);
  double shares = 0;
  for (const size_t row : {mm, reduce, copy, tiny}) shares += real(scaling.laws, row, "share_pct");
  EXPECT_NEAR(shares, 100, 1e-3) << "the ops make up the iteration";
  EXPECT_TRUE(scaling.words[0].starts_with(
      "Step time 98.1 ms -> 184.0 ms from 2 to 64 ranks: all_reduce grows as p^0.5, 77 % of the growth; at 128 ranks 220.1 ms ("))
      << scaling.words[0];
  EXPECT_EQ(scaling.sizes.row_count(), scaling.laws.row_count() * 7) << "six sizes, and the one that is predicted";
}

TEST(Scaling, TheLargestSizeIsLeftOutOrAnother) {
  const SizedRuns runs = series({2, 4, 8, 16}, of_training);
  Scaling scaling = scaling_of(runs, {});
  size_t reduce = row_of(scaling.laws, "all_reduce");
  EXPECT_EQ(real(scaling.laws, reduce, "held_out_size"), 16);
  EXPECT_EQ(real(scaling.laws, reduce, "held_out"), 40e6);
  EXPECT_NEAR(real(scaling.laws, reduce, "held_out_error_pct"), 0, 0.01);
  scaling = scaling_of(runs, {.leave_out = 4});
  reduce = row_of(scaling.laws, "all_reduce");
  EXPECT_EQ(real(scaling.laws, reduce, "held_out"), 20e6);
  EXPECT_NE(refusal(runs, {.leave_out = 5}).find("there are 2, 4, 8, 16"), std::string::npos);
  scaling = scaling_of(series({2, 4, 8}, of_training), {});
  EXPECT_TRUE(is_absent(scaling.laws.cell(0, scaling.laws.column("held_out")))) << "two points fit any law";
  EXPECT_NE(std::find(scaling.words.begin(), scaling.words.end(),
                      "Not held against a size that is left out: that takes four sizes"),
            scaling.words.end());
  EXPECT_NE(refusal(series({2, 4, 8}, of_training), {.leave_out = 4}).find("any law goes through two points"),
            std::string::npos);
}

TEST(Scaling, FewSizesAreRefused) {
  EXPECT_EQ(
      refusal(series({2, 4, 4}, of_training)),
      "scale: the 3 runs are of two sizes (2 and 4), and any law goes through two points: give runs of at least three sizes");
  EXPECT_EQ(refusal(series({8, 8, 8}, of_training)).substr(0, 71),
            "scale: all 3 runs are of 8 ranks: give runs of at least three sizes, or");
  SizedRuns runs = series({2, 4, 8}, of_training);
  runs.sizes[0] = 0.5;
  EXPECT_NE(refusal(runs).find("0.5 is no size"), std::string::npos);
  EXPECT_NE(refusal(series({2, 4, 8}, of_training), {.by = "layer"}).find("--by layer: the runs have none"),
            std::string::npos);
}

TEST(Scaling, FarExtrapolationIsMarked) {
  const SizedRuns runs = series({2, 4, 8}, of_training);
  EXPECT_EQ(text(scaling_of(runs, {.at = 32}).laws, 0, "extrapolation"), "");
  const Scaling far = scaling_of(runs, {.at = 33});
  EXPECT_EQ(text(far.laws, 0, "extrapolation"), "far");
  EXPECT_TRUE(std::any_of(far.words.begin(), far.words.end(),
                          [](const std::string& line) { return line.starts_with("Extrapolated far: 33 ranks"); }));
}

TEST(Scaling, AnOpThatIsAtFewSizesHasNoLaw) {
  const Scaling scaling = scaling_of(series({2, 4, 8, 16},
                                            [](double size) {
                                              std::map<std::string, double> ops = of_training(size);
                                              if (size > 4) ops["late"] = 20e6;
                                              return ops;
                                            }),
                                     {});
  const size_t late = row_of(scaling.laws, "late");
  EXPECT_EQ(text(scaling.laws, late, "verdict"), "");
  EXPECT_EQ(real(scaling.laws, late, "growth"), 20e6);
  EXPECT_EQ(std::get<int64_t>(scaling.laws.cell(late, scaling.laws.column("sizes"))), 2);
  EXPECT_EQ(scaling.words.back(), "At fewer than three sizes, without a law: late");
}

TEST(Scaling, StrongScalingFalls) {
  const Scaling scaling = scaling_of(
      series({1, 2, 4, 8, 16},
             [](double size) {
               return std::map<std::string, double>{{"work", 500e6 / size}, {"all_reduce", 2e6 * std::log2(size)}};
             }),
      {});
  EXPECT_EQ(text(scaling.laws, row_of(scaling.laws, "work"), "verdict"), "falls");
  EXPECT_EQ(text(scaling.laws, row_of(scaling.laws, "all_reduce"), "term"), "log2(p)") << "at one rank there is none";
  EXPECT_NE(scaling.words[0].find("falls as p^-"), std::string::npos) << scaling.words[0];
  EXPECT_NE(scaling.words[0].find("but all_reduce grows as log2(p), 8.00 ms more"), std::string::npos)
      << scaling.words[0];
}

TEST(Scaling, FunctionsOverAllCallPaths) {
  SizedRuns sized;
  for (const double size : {2.0, 4.0, 8.0, 16.0}) {
    GivenRun run{{"run", {}}};
    run.figures.ranks = 1;
    run.figures.calls = {"TIME",
                         "sec",
                         true,
                         10 + 3 * size,
                         {{"main", {10 + 3 * size, 10}},
                          {"main > a > solve", {size, size}},
                          {"main > b > solve", {2 * size, 2 * size}}}};
    sized.runs.push_back(run);
    sized.sizes.push_back(size);
  }
  const Scaling scaling = scaling_of(sized, {.parameter = "mesh", .by_call_trees = true});
  const size_t solve = row_of(scaling.laws, "solve");
  EXPECT_EQ(text(scaling.laws, solve, "kind"), "function");
  EXPECT_EQ(text(scaling.laws, solve, "term"), "p");
  EXPECT_NEAR(real(scaling.laws, solve, "predicted"), 96, 1e-6);
  EXPECT_EQ(text(scaling.laws, 0, "kind"), "total");
  EXPECT_NE(scaling.words[0].find(
                "TIME 16.000 s -> 58.000 s from mesh 2 to 16: solve grows as p, 100 % of the growth; at mesh 32"),
            std::string::npos)
      << scaling.words[0];
}

}  // namespace
}  // namespace cgpu
