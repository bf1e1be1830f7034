// How often the gate calls a regression where there is only noise, and how often where something is slower. Prints the
// tables of docs/gate.md, and holds the page to them: cgpu_gate_test --gtest_filter='FalseAlarms*:Power*'.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <numbers>
#include <sstream>

#include "analysis/common/order_statistics.h"
#include "base/test_sanitized.h"
#include "base/threads.h"
#include "gate/check/check.h"
#include "gate/figures/samples.h"
#include "gate/statistics/random_numbers.h"

namespace cgpu {
namespace {

constexpr size_t kIterations = 40;
constexpr size_t kOps = 10;
constexpr size_t kLayers = 8;
constexpr double kBetween = 0.01;  // deviation from run to run

/// The times of the iterations of a run, around 1.
using Noise = std::function<std::vector<double>(RandomNumbers&)>;

template <typename One>
std::vector<double> series(const One& one) {
  std::vector<double> values;
  for (size_t i = 0; i < kIterations; ++i) values.push_back(one(static_cast<double>(i)));
  return values;
}

std::vector<std::pair<const char*, Noise>> noises() {
  return {
      {"normal, 5 %", [](RandomNumbers& random) { return series([&](double) { return 1 + 0.05 * random.normal(); }); }},
      {"log-normal, sigma 0.3",
       [](RandomNumbers& random) { return series([&](double) { return std::exp(0.3 * random.normal()); }); }},
      {"drift, up to 20 % either way",
       [](RandomNumbers& random) {
         const double rise = 0.4 * (random.share() - 0.5);
         return series([&](double i) { return 1 + rise * i / kIterations + 0.02 * random.normal(); });
       }},
      {"periodic, 30 % every 10",
       [](RandomNumbers& random) {
         const double phase = 2 * std::numbers::pi * random.share();
         return series(
             [&](double i) { return 1 + 0.3 * std::sin(phase + i * std::numbers::pi / 5) + 0.02 * random.normal(); });
       }},
      {"autocorrelated, 0.9, 5 %",
       [](RandomNumbers& random) {
         double last = random.normal();
         return series([&](double) {
           last = 0.9 * last + std::sqrt(1 - 0.81) * random.normal();
           return 1 + 0.05 * last;
         });
       }},
      {"outliers, 5 % of 2 to 6 times", [](RandomNumbers& random) {
         return series([&](double) {
           const double usual = 1 + 0.02 * random.normal();
           return random.share() < 0.05 ? usual * (2 + 4 * random.share()) : usual;
         });
       }}};
}

/// The device time of an op with this noise, as it is collected of a run.
TimeFigure op_time(const Noise& noise, double level, RandomNumbers& random, bool with_error) {
  const std::vector<double> values = noise(random);
  TimeFigure time{static_cast<int64_t>(values.size()), 0, {}};
  for (const double value : values) time.total_ns += std::max<int64_t>(1, std::llround(level * value));
  if (!with_error) return time;
  const NoiseWithin within = noise_within(values, Location::mean, mean_of(values));
  time.error = within.error;
  time.drift = within.drift;
  return time;
}

/// A program of iterations of 10 ms, of ops that take half a millisecond each, and of layers that do, all as noisy.
CheckedRun run_of(const Noise& noise, double slower, RandomNumbers& random, bool with_errors) {
  CheckedRun run;
  run.figures.ranks = run.figures.world_size = 1;
  run.figures.devices["device"] = 1;
  const double level = 1e7 * (1 + slower) * std::exp(kBetween * random.normal());
  int64_t number = 0;
  for (const double value : noise(random)) {
    IterationFigures& iteration = run.figures.iterations[number++];
    iteration.wall_ns = std::max<int64_t>(1, std::llround(level * value));
  }
  run.figures.steady = kIterations;
  for (size_t op = 0; op < kOps; ++op) {
    const double of_op = level / 20 * std::exp(kBetween * random.normal());
    const TimeFigure time = op_time(noise, of_op, random, with_errors);
    run.figures.ops["op" + std::to_string(op)] = time;
    run.figures.classes["gemm"].combine(time);
  }
  for (size_t layer = 0; layer < kLayers; ++layer) {
    const double of_layer = level / 20 * std::exp(kBetween * random.normal());
    run.figures.layers["layer " + std::to_string(layer) + " of 8"] = op_time(noise, of_layer, random, with_errors);
  }
  return run;
}

struct Counts {
  int regressions = 0;
  int inconclusive = 0;
};

Counts count(const Noise& noise, size_t runs, double slower, double tolerance, int trials, uint64_t seed) {
  RandomNumbers random(seed);
  Counts counts;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<CheckedRun> baseline;
    std::vector<CheckedRun> candidate;
    for (size_t run = 0; run < runs; ++run) {
      baseline.push_back(run_of(noise, 0, random, runs == 1));
      candidate.push_back(run_of(noise, slower, random, runs == 1));
    }
    CheckOptions options;
    options.tolerance = tolerance;
    options.explain = false;
    const Outcome outcome = check_runs(baseline, candidate, options).outcome;
    counts.regressions += outcome == Outcome::regression ? 1 : 0;
    counts.inconclusive += outcome == Outcome::inconclusive ? 1 : 0;
  }
  return counts;
}

/// Counts of every noise for one, three and five runs a side, computed on all processors.
struct Case {
  std::string name;
  Noise noise;
  size_t runs;
  std::vector<Counts> counts;  // by what `count_all` was asked for
};

struct Question {
  double tolerance;
  double slower;
};

std::vector<Case> count_all(const std::vector<Question>& questions, int trials) {
  std::vector<Case> cases;
  for (const auto& [name, noise] : noises()) {
    for (const size_t runs : {1, 3, 5}) cases.push_back({name, noise, runs, {}});
  }
  for_each_in_parallel(thread_count(0), cases.size(), [&](size_t i) {
    Case& one = cases[i];
    for (const Question& question : questions) {
      one.counts.push_back(count(one.noise, one.runs, question.slower, question.tolerance, trials,
                                 11 * one.runs + (question.slower > 0)));
    }
  });
  return cases;
}

/// The percentages of the row of docs/gate.md for this noise and number of runs that has so many of them.
std::vector<double> documented(const Case& one, size_t figures) {
  std::ifstream page("docs/gate.md");  // tests run in the root of the repository
  const std::string begin = fmt::format("| {} | {} |", one.name, one.runs);
  std::string line;
  while (std::getline(page, line)) {
    if (!line.starts_with(begin)) continue;
    std::istringstream cells(line.substr(begin.size()));
    std::vector<double> found;
    for (std::string cell; std::getline(cells, cell, '|');) found.push_back(std::stod(cell));
    if (found.size() == figures) return found;
  }
  return {};
}

/// `counts` of so many trials, in percent, are those of the page; a rounding of another compiler may turn a trial.
void expect_documented(const Case& one, const std::vector<int>& counts, int trials) {
  if (kSanitized) return;  // fewer trials
  const std::vector<double> found = documented(one, counts.size());
  ASSERT_EQ(found.size(), counts.size()) << "docs/gate.md has no row for " << one.name << ", runs a side: " << one.runs;
  for (size_t i = 0; i < counts.size(); ++i) {
    EXPECT_NEAR(found[i], 100.0 * counts[i] / trials, 100.0 / trials + 0.1) << one.name << ", runs: " << one.runs;
  }
}

TEST(FalseAlarms, AreOneInAHundredAtMost) {
  constexpr int kTrials = kSanitized ? 10 : 1000;
  for (const Case& one : count_all({{0.05, 0}}, kTrials)) {
    const Counts& counts = one.counts[0];
    std::cout << fmt::format("| {} | {} | {:.1f} % | {:.1f} % |\n", one.name, one.runs,
                             counts.regressions * 100.0 / kTrials, counts.inconclusive * 100.0 / kTrials);
    EXPECT_LE(counts.regressions, std::max(1, kTrials / 100)) << one.name << ", runs a side: " << one.runs;
    expect_documented(one, {counts.regressions, counts.inconclusive}, kTrials);
  }
}

TEST(Power, FiveRunsSeeFivePercentBeyondATolerance) {
  constexpr int kTrials = kSanitized ? 10 : 50;
  const std::vector<Question> questions = {{0.02, 0.05}, {0.02, 0.1}, {0.02, 0.2},
                                           {0.05, 0.05}, {0.05, 0.1}, {0.05, 0.2}};
  int before = 0;
  for (const Case& one : count_all(questions, kTrials)) {
    std::string line = fmt::format("| {} | {} |", one.name, one.runs);
    int all = 0;
    std::vector<int> regressions;
    for (const Counts& counts : one.counts) {
      regressions.push_back(counts.regressions);
      line += fmt::format(" {:.0f} % |", counts.regressions * 100.0 / kTrials);
      all += counts.regressions;
    }
    std::cout << line << '\n';
    expect_documented(one, regressions, kTrials);
    if (one.runs == 1) before = 0;
    if (one.runs == 5) {
      EXPECT_GE(all, before) << "five runs see more than fewer, " << one.name;
      EXPECT_EQ(one.counts[2].regressions, kTrials) << "20 % slower, " << one.name;
    }
    before = std::max(before, all);
    if (one.runs != 5 || !one.name.starts_with("normal")) continue;
    EXPECT_GE(one.counts[0].regressions, kTrials * 7 / 10) << "5 % slower at a tolerance of 2 %";
    EXPECT_GE(one.counts[4].regressions, kTrials * 9 / 10) << "10 % slower at one of 5 %";
    EXPECT_LE(one.counts[3].regressions, kTrials / 5) << "a change as large as the tolerance passes";
  }
}

}  // namespace
}  // namespace cgpu
