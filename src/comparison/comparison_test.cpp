#include "comparison/comparison.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "analysis/random_run.h"
#include "comparison/comparison_table.h"
#include "comparison/shared_out.h"

namespace cgpu {
namespace {

const std::vector<NamedKind> kVocabulary = {{SliceKind::framework_op, "aten::mm"},
                                            {SliceKind::framework_op, "aten::add"},
                                            {SliceKind::annotation, "forward"},
                                            {SliceKind::annotation, "ProfilerStep#1"},
                                            {SliceKind::runtime_call, "cudaLaunchKernel"},
                                            {SliceKind::runtime_call, "cudaDeviceSynchronize"}};

Session random_session(unsigned seed, size_t runs) {
  Session session;
  for (unsigned run = 0; run < runs; ++run) {
    session.runs.push_back(std::move(RandomRun(seed + 1000 * run, kVocabulary, HostShape::nested).run));
    session.runs.back().rank = run;
  }
  return session;
}

using Figures = std::multiset<std::tuple<CauseKind, int64_t, int64_t, int64_t, int64_t>>;

Figures figures_of(const Comparison& comparison, bool mirrored) {
  Figures figures;
  for (const Cause& cause : comparison.causes()) {
    CauseKind kind = cause.kind;
    if (mirrored && kind == CauseKind::added) {
      kind = CauseKind::removed;
    } else if (mirrored && kind == CauseKind::removed) {
      kind = CauseKind::added;
    }
    const Side first = mirrored ? Side::b : Side::a;
    figures.insert({kind, cause.time[first], cause.time[other(first)], cause.count[first], cause.count[other(first)]});
  }
  return figures;
}

/// ns of the spans of the devices within the compared time, nanosecond by nanosecond: busy, and all.
std::pair<int64_t, int64_t> busy_and_all(const Comparison& comparison, Side side, size_t run) {
  const Timeline& timeline = comparison.facts(side).run(run).timeline;
  std::pair<int64_t, int64_t> sums;
  for (const auto& [device, ops] : ops_by_device(timeline)) {
    for (const Iteration& iteration : comparison.time(side, run).iterations) {
      for (int64_t now = iteration.time.begin; now < iteration.time.end; ++now) {
        ++sums.second;
        for (const OpIndex op : ops) {
          if (!is_active(timeline, timeline.device_ops.slice[op], now)) continue;
          ++sums.first;
          break;
        }
      }
    }
  }
  return sums;
}

TEST(Comparison, EachNanosecondHasOneOwner) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const OfSides<Session> sessions{random_session(seed, 1 + seed % 2), random_session(seed + 500, 1 + seed % 3)};
    const SessionFacts a(sessions.a);
    const SessionFacts b(sessions.b);
    const Comparison comparison(a, b);
    for (const Side side : kSides) {
      std::pair<int64_t, int64_t> expected;
      for (size_t run = 0; run < sessions[side].runs.size(); ++run) {
        const auto [busy, all] = busy_and_all(comparison, side, run);
        expected.first += busy;
        expected.second += all;
      }
      int64_t busy = 0;
      int64_t all = 0;
      for (const Cause& cause : comparison.causes()) {
        all += cause.time[side];
        if (cause.kind != CauseKind::idle) busy += cause.time[side];
        int64_t by_run = 0;
        for (const int64_t time : cause.by_run[side]) by_run += time;
        EXPECT_EQ(by_run, cause.time[side]);
      }
      EXPECT_EQ(busy, expected.first);
      EXPECT_EQ(all, expected.second);
      EXPECT_EQ(all, comparison.totals(side).time);
    }
  }
}

TEST(Comparison, TheOtherWayRoundIsTheMirrorImage) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const Session here = random_session(seed, 1 + seed % 2);
    const Session there = random_session(seed + 500, 1 + seed % 2);
    const SessionFacts a(here);
    const SessionFacts b(there);
    EXPECT_EQ(figures_of(Comparison(a, b), false), figures_of(Comparison(b, a), true));
  }
}

TEST(Comparison, WithItselfNothingChanged) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Session session = random_session(seed, 1 + seed % 2);
    const SessionFacts facts(session);
    const Comparison comparison(facts, facts);
    for (const Cause& cause : comparison.causes()) {
      EXPECT_EQ(cause.time.a, cause.time.b) << cause.key;
      EXPECT_EQ(cause.count.a, cause.count.b) << cause.key;
      EXPECT_TRUE(cause.kind != CauseKind::added && cause.kind != CauseKind::removed &&
                  cause.kind != CauseKind::replaced);
    }
  }
}

TEST(Comparison, EveryTableCanBeMadeOfAnyTwo) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const OfSides<Session> sessions{random_session(seed, seed % 3), random_session(seed + 500, seed % 2)};
    const SessionFacts a(sessions.a);
    const SessionFacts b(sessions.b);
    const Comparison comparison(a, b);
    for (const ComparisonTable& declared : comparison_tables()) {
      const Table table = make_table(declared, comparison);
      EXPECT_EQ(table.columns.size(), declared.columns.size());
    }
  }
}

TEST(SharedOut, AddsUpToTheRoundedWholeWhateverTheOrder) {
  std::mt19937 random(6);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> parts(random() % 12);
    int64_t whole = 0;
    for (int64_t& part : parts) whole += part = static_cast<int64_t>(random() % 1000);
    const auto divisor = static_cast<int64_t>(1 + random() % 9);
    const std::vector<int64_t> shares = shared_out(parts, divisor);
    int64_t sum = 0;
    std::multiset<std::pair<int64_t, int64_t>> each;
    for (size_t i = 0; i < parts.size(); ++i) {
      sum += shares[i];
      each.insert({parts[i], shares[i]});
      EXPECT_LE(std::abs(shares[i] * divisor - parts[i]), divisor);
    }
    EXPECT_EQ(sum, (whole + divisor / 2) / divisor);
    std::vector<int64_t> turned(parts.rbegin(), parts.rend());
    const std::vector<int64_t> turned_shares = shared_out(turned, divisor);
    std::multiset<std::pair<int64_t, int64_t>> each_turned;
    for (size_t i = 0; i < turned.size(); ++i) each_turned.insert({turned[i], turned_shares[i]});
    EXPECT_EQ(each, each_turned);
  }
}

}  // namespace
}  // namespace cgpu
