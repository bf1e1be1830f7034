#include "comparison/comparison.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/random_run.h"
#include "comparison/attribution/apportion.h"
#include "comparison/attribution/explained_causes.h"
#include "comparison/sides/iteration_spread.h"
#include "comparison/tables/comparison_table.h"
#include "links/window.h"

namespace cgpu {
namespace {

const std::vector<NamedKind> kVocabulary = {{SliceKind::framework_op, "aten::mm"},
                                            {SliceKind::framework_op, "aten::add"},
                                            {SliceKind::annotation, "forward"},
                                            {SliceKind::annotation, "ProfilerStep#1"},
                                            {SliceKind::runtime_call, "cudaLaunchKernel"},
                                            {SliceKind::runtime_call, "cudaDeviceSynchronize"}};

enum class Worker : uint8_t { device, host };

Session random_session(unsigned seed, size_t runs, Worker worker = Worker::device,
                       const std::vector<NamedKind>& vocabulary = kVocabulary) {
  Session session;
  for (unsigned run = 0; run < runs; ++run) {
    session.runs.push_back(std::move(RandomRun(seed + 1000 * run, vocabulary, HostShape::nested).run));
    session.runs.back().rank = run;
    if (worker == Worker::host) select_devices(session.runs.back(), [](int32_t) { return false; });
  }
  return session;
}

/// On a device, on the host, or on one of each, by the number of the test.
PerSide<Session> random_sessions(unsigned seed, PerSide<size_t> runs) {
  const Worker of_a = seed % 4 < 2 ? Worker::device : Worker::host;
  const Worker of_b = seed % 4 == 0 || seed % 4 == 2 ? Worker::device : Worker::host;
  return {random_session(seed, runs.a, of_a), random_session(seed + 500, runs.b, of_b)};
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

/// The causes as a table has them, each of one iteration on one device.
std::multiset<std::tuple<CauseKind, int64_t, int64_t>> shares_of_causes(const Comparison& comparison, bool mirrored) {
  std::multiset<std::tuple<CauseKind, int64_t, int64_t>> shares;
  for (const ExplainedCause& one : explained_causes(comparison)) {
    const CauseKind kind = one.cause->kind == CauseKind::added ? CauseKind::removed : one.cause->kind;
    shares.insert({kind, mirrored ? one.b : one.a, mirrored ? one.a : one.b});
  }
  return shares;
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
    const PerSide<Session> sessions = random_sessions(seed, {1 + seed % 2, 1 + seed % 3});
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

TEST(Comparison, WhatComputeHidesIsNotOwned) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const PerSide<Session> sessions = random_sessions(seed, {1, 1});
    const SessionFacts a(sessions.a);
    const SessionFacts b(sessions.b);
    const Comparison comparison(a, b);
    for (const Side side : kSides) {
      const Timeline& timeline = comparison.facts(side).run(0).timeline;
      std::map<OpKind, int64_t> owned;
      Labels labels;
      for_each_attributed_time(comparison.facts(side), 0, comparison.time(side, 0).iterations, {}, labels,
                               [&](const AttributedTime& one) {
                                 if (one.op != kNone) owned[timeline.device_ops.kind[one.op]] += one.time;
                               });
      const DeviceActivity& activity = comparison.activity(side);
      EXPECT_EQ(owned[OpKind::compute], activity.compute);
      EXPECT_EQ(owned[OpKind::communication], activity.exposed_communication);
      EXPECT_EQ(owned[OpKind::memory], activity.exposed_memory);
    }
  }
}

TEST(IterationSpread, OneSlowIterationDoesNotHideThatAllAreFaster) {
  const std::vector<int64_t> slow = {6470, 6230, 6300, 30670, 13240, 9710};
  const std::vector<int64_t> fast = {3810, 3610, 3720, 3740, 3710, 3530};
  const std::optional<Spread> spread = spread_between({slow, fast});
  ASSERT_TRUE(spread.has_value());
  EXPECT_LT(spread->low, 0);
  EXPECT_GT(spread->high, 0);  // Welch's interval alone would not tell
  EXPECT_TRUE(spread->differs);
  EXPECT_TRUE(spread_between({fast, slow})->differs);
  // Three against three lie apart by chance in one of ten cases, and here one of six lies within.
  EXPECT_FALSE(spread_between({{6470, 6230, 30670}, {3810, 3610, 3720}})->differs);
  EXPECT_FALSE(spread_between({slow, {3810, 3610, 3720, 3740, 3710, 6500}})->differs);
  EXPECT_TRUE(spread_between({{10, 11, 12}, {20, 21, 22}})->differs);
  EXPECT_FALSE(spread_between({{1, 2}, {1, 2, 3}}).has_value());
}

TEST(Comparison, TheOtherWayRoundIsTheMirrorImage) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const PerSide<Session> sessions = random_sessions(seed, {1 + seed % 2, 1 + seed % 2});
    const SessionFacts a(sessions.a);
    const SessionFacts b(sessions.b);
    const Comparison here(a, b);
    const Comparison there(b, a);
    EXPECT_EQ(figures_of(here, false), figures_of(there, true));
    EXPECT_EQ(shares_of_causes(here, false), shares_of_causes(there, true));
  }
}

TEST(Comparison, CausesPutTogetherLeaveNoMoreThanAsked) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const PerSide<Session> sessions = random_sessions(seed, {1, 1});
    const SessionFacts a(sessions.a);
    const SessionFacts b(sessions.b);
    const Comparison comparison(a, b);
    const std::vector<ExplainedCause> causes = explained_causes(comparison);
    int64_t change = 0;
    for (const ExplainedCause& one : causes) change += one.delta();
    for (const int64_t most_left : {int64_t{0}, std::abs(change) / 20, std::abs(change)}) {
      std::vector<Cause> merged;
      const std::vector<ExplainedCause> groups = summed_by_kind(causes, most_left, merged);
      EXPECT_LE(groups.size(), 7U);
      int64_t left = change;
      size_t parts = 0;
      for (const ExplainedCause& group : groups) {
        left -= group.delta();
        parts += group.causes;
        if (group.causes == 1) continue;
        EXPECT_TRUE(group.cause->shown.starts_with(std::to_string(group.causes))) << group.cause->shown;
      }
      EXPECT_LE(std::abs(left), most_left);
      EXPECT_LE(parts, causes.size());
    }
  }
}

TEST(Comparison, WithItselfNothingChanged) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Session session = random_session(seed, 1 + seed % 2, seed % 3 == 0 ? Worker::host : Worker::device);
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
    const PerSide<Session> sessions = random_sessions(seed, {seed % 3, seed % 2});
    const SessionFacts a(sessions.a);
    const SessionFacts b(sessions.b);
    const Comparison comparison(a, b);
    for (const ComparisonTable& declared : comparison_tables()) {
      const Table table = make_table(declared, comparison);
      EXPECT_EQ(table.columns.size(), declared.columns.size());
    }
  }
}

/// ns in which threads are in ops of each name and in none inside, and the moments at which any is, from the first to
/// the last of them.
struct HostTime {
  std::map<std::string, int64_t> by_name;
  int64_t busy = 0;
};
HostTime host_time(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  HostTime time;
  for (int64_t now = 0; now <= RandomRun::kHostEnd; ++now) {
    std::map<TrackIndex, SliceIndex> innermost;
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (timeline.kind(slice) != SliceKind::framework_op || !is_active(timeline, slice, now)) continue;
      const auto [found, is_new] = innermost.try_emplace(slices.track[slice], slice);
      if (!is_new && encloses(timeline, found->second, slice)) found->second = slice;
    }
    for (const auto& [track, slice] : innermost) ++time.by_name[std::string(timeline.name(slice))];
    time.busy += innermost.empty() ? 0 : 1;
  }
  return time;
}

TEST(Comparison, AHostIsComparedByTheTimeInItsOps) {
  const std::vector<NamedKind> vocabulary = {{SliceKind::framework_op, "aten::mm"},
                                             {SliceKind::framework_op, "aten::add"},
                                             {SliceKind::annotation, "forward"},
                                             {SliceKind::runtime_call, "cudaLaunchKernel"}};
  int compared = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const PerSide<Session> sessions{
        random_session(seed, 1, Worker::host, vocabulary),
        random_session(seed + 500, 1, seed % 2 == 0 ? Worker::host : Worker::device, vocabulary)};
    const SessionFacts a(sessions.a);
    const SessionFacts b(sessions.b);
    const Comparison comparison(a, b);
    if (comparison.host(Side::a) == nullptr) continue;  // B did nothing
    const HostTime expected = host_time(sessions.a.runs[0].timeline);
    std::map<std::string, int64_t> by_name;
    std::map<Status, int64_t> by_status;
    const Comparison::Group& group = comparison.groups().front();
    for (uint32_t index = 0; index < group.work.a->nodes().size(); ++index) {
      const WorkNode& node = group.work.a->node(index);
      if (!is_device_work(node.kind)) continue;
      by_name[std::string(comparison.text(node.label))] += node.duration;
      by_status[group.alignment->node(Side::a, index).status] += node.duration;
    }
    EXPECT_EQ(by_name, expected.by_name);
    EXPECT_EQ(by_status.count(Status::orphan) + by_status.count(Status::only_b), 0u);
    int64_t busy = 0;
    for (const Cause& cause : comparison.causes()) busy += cause.kind == CauseKind::idle ? 0 : cause.time.a;
    EXPECT_EQ(busy, expected.busy);
    ++compared;
  }
  EXPECT_GT(compared, 80);
}

TEST(SharedOut, AddsUpToTheRoundedWholeWhateverTheOrder) {
  std::mt19937 random(6);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> parts(random() % 12);
    int64_t whole = 0;
    for (int64_t& part : parts) whole += part = static_cast<int64_t>(random() % 1000);
    const auto divisor = static_cast<int64_t>(1 + random() % 9);
    const std::vector<int64_t> shares = apportion(parts, divisor);
    int64_t sum = 0;
    std::multiset<std::pair<int64_t, int64_t>> each;
    for (size_t i = 0; i < parts.size(); ++i) {
      sum += shares[i];
      each.insert({parts[i], shares[i]});
      EXPECT_LE(std::abs(shares[i] * divisor - parts[i]), divisor);
    }
    EXPECT_EQ(sum, (whole + divisor / 2) / divisor);
    std::vector<int64_t> turned(parts.rbegin(), parts.rend());
    const std::vector<int64_t> turned_shares = apportion(turned, divisor);
    std::multiset<std::pair<int64_t, int64_t>> each_turned;
    for (size_t i = 0; i < turned.size(); ++i) each_turned.insert({turned[i], turned_shares[i]});
    EXPECT_EQ(each, each_turned);
  }
}

}  // namespace
}  // namespace cgpu
