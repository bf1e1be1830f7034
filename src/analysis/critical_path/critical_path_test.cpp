// The graph of dependencies, critical paths and what-if answers: laws on random runs, and runs that a small simulator
// makes with and without a change.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/critical_path/periods.h"
#include "analysis/random_run.h"
#include "analysis/test_timeline.h"
#include "dependencies/graph.h"
#include "dependencies/replay.h"

namespace cgpu {
namespace {

/// A host thread and the streams of a device, in virtual time: a launch takes 5 us of the host, an op begins 6 us after
/// its launch began at the earliest and 1 us after the op before it, and a wait returns 2 us after what it waits for.
class Machine {
 public:
  TestRun test;

  void host(const std::string& name, int64_t length, SliceKind kind = SliceKind::annotation) {
    if (length > 0) test.host(kind, name, now_, length);
    now_ += length;
  }
  void launch(const std::string& kernel, int64_t length, int64_t stream = 7, OpKind kind = OpKind::compute) {
    const SliceIndex call = test.host(SliceKind::runtime_call, "cudaLaunchKernel", now_, 5'000);
    int64_t& busy_until = streams_[stream];
    const int64_t start = std::max(now_ + 6'000, busy_until + 1'000);
    test.kernel(kernel, start, length, {.stream = stream, .kind = kind, .launch = call});
    busy_until = start + length;
    now_ += 5'000;
  }
  void synchronize() {
    int64_t done = now_;
    for (const auto& [stream, busy_until] : streams_) done = std::max(done, busy_until);
    const int64_t end = std::max(now_, done) + 2'000;
    test.host(SliceKind::runtime_call, "cudaDeviceSynchronize", now_, end - now_);
    now_ = end;
  }
  /// Without a call: the thread reads a value until the last kernel has written it.
  void spin() {
    for (const auto& [stream, busy_until] : streams_) now_ = std::max(now_, busy_until);
    now_ += 3'000;
  }
  /// Asks every 10 us whether the last kernel has ended.
  void poll() {
    int64_t done = now_;
    for (const auto& [stream, busy_until] : streams_) done = std::max(done, busy_until);
    for (bool ended = false; !ended; now_ += 10'000) {
      ended = now_ >= done;
      test.host(SliceKind::runtime_call, "cudaEventQuery", now_, 1'000);
    }
  }
  void step(int64_t number, const std::function<void()>& body) {
    const int64_t begin = now_;
    body();
    test.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(number), begin, now_ - begin);
  }
  int64_t now() const { return now_; }

 private:
  int64_t now_ = 1'000'000;
  std::map<int64_t, int64_t> streams_;
};

int64_t total_of(const Table& table, const std::string& column) {
  int64_t sum = 0;
  for (size_t row = 0; row < table.row_count(); ++row) sum += integer_at(table, row, column);
  return sum;
}

struct Work {
  int64_t loading = 200'000;
  int64_t python = 20'000;  // between two launches
  int64_t gemm = 100'000;
  int64_t reduce = 50'000;
  bool waits = true;    // in every step
  int64_t between = 0;  // host time between two steps
};

Session run_of(const Work& work) {
  Machine machine;
  for (int64_t number = 0; number < 5; ++number) {
    machine.step(number, [&] {
      machine.host("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", work.loading);
      for (int i = 0; i < 30; ++i) {
        machine.host("python", work.python);
        machine.launch("gemm", work.gemm);
        machine.launch("ncclAllReduce", work.reduce, 20, OpKind::communication);
      }
      if (work.waits) machine.synchronize();
    });
    machine.host("between", work.between);
  }
  machine.synchronize();
  return session_of(std::move(machine.test));
}

TEST(Dependencies, RandomRunsReplayToTheirMeasuredTimes) {
  const std::vector<NamedKind> vocabulary = {
      {SliceKind::runtime_call, "cudaLaunchKernel"}, {SliceKind::runtime_call, "cudaDeviceSynchronize"},
      {SliceKind::runtime_call, "cudaMemcpy"},       {SliceKind::runtime_call, "cudaStreamSynchronize"},
      {SliceKind::framework_op, "aten::mm"},         {SliceKind::annotation, "ProfilerStep#1"},
      {SliceKind::python_function, "gc.collect"},    {SliceKind::annotation, "enumerate(DataLoader)"},
      {SliceKind::annotation, "MPI_Allreduce"},      {SliceKind::framework_op, "gloo:barrier"}};
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    RandomRun first(seed, vocabulary, seed % 2 == 0 ? HostShape::nested : HostShape::overlapping);
    RandomRun second(seed + 1000, vocabulary, HostShape::nested);
    first.run.clock_is_unix = second.run.clock_is_unix = seed % 3 != 0;
    const Session session =
        seed % 5 == 0 ? session_of(std::move(first)) : session_of(std::move(first), std::move(second));
    const SessionFacts facts(session);
    const DependencyGraph& graph = facts.dependencies();
    const Replay replayed = replay(graph, weights_of(graph));
    EXPECT_EQ(as_measured(graph).times, replayed.times) << "seed " << seed;
    EXPECT_EQ(as_measured(graph).bound_by, replayed.bound_by) << "seed " << seed;
    for (MomentIndex i = 0; i < graph.moments().size(); ++i) {
      ASSERT_EQ(replayed.times[i], graph.moments()[i].time) << "seed " << seed << ", moment " << i;
      ASSERT_GE(graph.delay(i), 0);
      for (uint32_t edge = graph.first_edge(i); edge < graph.end_edge(i); ++edge) {
        ASSERT_LT(graph.edges()[edge].from, i) << "seed " << seed;
      }
      if (i > 0) {
        ASSERT_LT(graph.first_edge(i), graph.end_edge(i)) << "nothing leads to moment " << i << ", seed " << seed;
      }
    }
    const Table unchanged = make_table(find_analysis("whatif"), facts);
    EXPECT_EQ(total_of(unchanged, "saved_ns"), 0) << "seed " << seed;
    const int64_t measured = total_of(unchanged, "measured_ns");
    EXPECT_EQ(total_of(make_table(find_analysis("critical_path"), facts), "total_ns"), measured) << "seed " << seed;
    EXPECT_EQ(total_of(make_table(find_analysis("critical_path_trace"), facts), "duration_ns"), measured);
  }
}

TEST(Dependencies, WhatIfPredictsTheRunWithTheChange) {
  struct Case {
    const char* what;
    std::string scale;
    std::string free;
    Work before;
    Work after;
  };
  const Work slow_device{.loading = 10'000, .python = 1'000, .gemm = 400'000};
  const std::vector<Case> cases = {
      {"no data loading", "", "data_loading", {}, {.loading = 0}},
      {"half the data loading", "enumerate(DataLoader)*=0.5", "", {}, {.loading = 100'000}},
      {"gemm twice as fast, the device bounds", "gemm=0.5", "", slow_device, {10'000, 1'000, 200'000}},
      {"gemm far faster, then the host bounds", "gemm=0.01", "", slow_device, {10'000, 1'000, 4'000}},
      {"no communication", "", "communication", {.reduce = 400'000}, {.reduce = 0}},
      {"a slower host", "python=4", "", {}, {.python = 80'000}},
      {"no waiting", "", "synchronization", {}, {.waits = false}},
  };
  for (const Case& one : cases) {
    TableOptions options;
    if (!one.scale.empty()) options.set("scale", {one.scale});
    if (!one.free.empty()) options.set("free", {one.free});
    const Session before = run_of(one.before);
    const Session after = run_of(one.after);
    const SessionFacts facts_before(before);
    const SessionFacts facts_after(after);
    const auto predicted =
        static_cast<double>(total_of(make_table(find_analysis("whatif"), facts_before, options), "predicted_ns"));
    const auto measured =
        static_cast<double>(total_of(make_table(find_analysis("whatif"), facts_after), "measured_ns"));
    EXPECT_NEAR(predicted / measured, 1.0, 0.02) << one.what << ": " << predicted << " for " << measured;
  }
}

TEST(Dependencies, WhatIfPredictsEachStepOfAHostAheadOfItsDeviceAndBehindIt) {
  struct Case {
    const char* what;
    std::string scale;
    std::vector<std::string> free;
    Work before;
    Work after;
  };
  const Work slow_host{.loading = 300'000, .python = 400'000, .waits = false, .between = 9'000};
  const Work fast_host{.loading = 0, .python = 0, .waits = false, .between = 9'000};
  const Work ahead{.loading = 0, .python = 10'000, .gemm = 900'000, .reduce = 1'000, .waits = false, .between = 9'000};
  Work caught_up = ahead;
  caught_up.gemm = 90'000;
  const std::vector<Case> cases = {
      // The steps of the run as it was do not overlap on the device; then the host is done with all before the first.
      {"nothing of the host, which was behind", "", {"host_code", "data_loading"}, slow_host, fast_host},
      // The host was four steps ahead; then it is less.
      {"faster products, the host was ahead", "gemm=0.1", {}, ahead, caught_up},
  };
  for (const Case& one : cases) {
    TableOptions options;
    if (!one.scale.empty()) options.set("scale", {one.scale});
    if (!one.free.empty()) options.set("free", one.free);
    const Session before = run_of(one.before);
    const Session after = run_of(one.after);
    const Table predicted = make_table(find_analysis("whatif"), SessionFacts(before), options);
    const Table measured = make_table(find_analysis("whatif"), SessionFacts(after));
    ASSERT_EQ(predicted.row_count(), 5U);
    for (size_t step = 0; step < 5; ++step) {
      const auto expected = static_cast<double>(integer_at(measured, step, "measured_ns"));
      EXPECT_NEAR(static_cast<double>(integer_at(predicted, step, "predicted_ns")), expected, 0.05 * expected)
          << one.what << ", step " << step;
    }
  }
}

/// A solver that reads a residual which a kernel writes into memory of the host, or computes for itself meanwhile.
Session solver_run(double kernel_factor, int64_t computes, bool polls = false) {
  Machine machine;
  for (int64_t step = 0; step < 3; ++step) {
    machine.step(step, [&] {
      for (int64_t i = 0; i < 20; ++i) {
        machine.launch("residual", static_cast<int64_t>(kernel_factor * static_cast<double>(200'000 + 15'000 * i)));
        if (computes > 0) machine.host("compute", computes);
        if (polls) {
          machine.poll();
        } else if (computes == 0) {
          machine.spin();
        }
        machine.host("check", 8'000);
        machine.launch("update", 20'000);
      }
      machine.synchronize();
    });
  }
  return session_of(std::move(machine.test));
}

TEST(Dependencies, AThreadThatSpinsUntilAKernelEndsWaitsForIt) {
  TableOptions faster;
  faster.set("scale", {"residual=0.5"});
  const auto predicted = [&](const Session& session, const TableOptions& options) {
    return static_cast<double>(
        total_of(make_table(find_analysis("whatif"), SessionFacts(session), options), "predicted_ns"));
  };
  const Session spins = solver_run(1, 0);
  const double measured = predicted(solver_run(0.5, 0), {});
  EXPECT_NEAR(predicted(spins, faster) / measured, 1.0, 0.02);
  // To free the wait frees the host: it is then ahead, and the kernels follow each other.
  TableOptions free;
  free.set("free", {"synchronization"});
  EXPECT_LT(predicted(spins, free), 0.98 * predicted(spins, {}));
  // To ask again and again is to spin; when the host asks next is up to 11 us after the end.
  EXPECT_NEAR(predicted(solver_run(1, 0, true), faster) / predicted(solver_run(0.5, 0, true), {}), 1.0, 0.06);
  // A host that computes for longer than the kernels take is not faster with faster kernels.
  const Session computes = solver_run(1, 600'000);
  EXPECT_NEAR(predicted(computes, faster) / predicted(computes, {}), 1.0, 0.02);
}

TEST(Dependencies, TheCriticalPathNamesWhatBounds) {
  const auto most = [](const Work& work) {
    const Session session = run_of(work);
    const SessionFacts facts(session);
    return text_at(make_table(find_analysis("critical_path"), facts), 0, "bound_by");
  };
  EXPECT_EQ(most({.gemm = 400'000}), "compute");
  EXPECT_EQ(most({.gemm = 1'000, .reduce = 400'000}), "communication");
  EXPECT_EQ(most({.loading = 50'000'000}), "data_loading");
  EXPECT_EQ(most({.python = 500'000}), "host_code");
}

TEST(Dependencies, AStreamThatWaitsForAnEventGoesOnSomeTimeAfterIt) {
  // On AMD's devices an op begins 14 to 19 us after what its stream had to wait for.
  const auto dependency = [](bool waits) {
    TestRun test;
    const auto launch = [&](int64_t at) { return test.host(SliceKind::runtime_call, "hipLaunchKernel", at, 5'000); };
    test.kernel("first", 6'000, 10'000, {.stream = 8, .launch = launch(0)});
    test.kernel("long", 16'000, 200'000, {.stream = 7, .launch = launch(10'000)});
    if (waits) test.host(SliceKind::runtime_call, "hipStreamWaitEvent", 20'000, 1'000);
    test.kernel("second", 231'000, 10'000, {.stream = 8, .launch = launch(30'000)});
    const Session session = session_of(std::move(test));
    const Table table = make_table(find_analysis("op_dependencies"), SessionFacts(session));
    for (size_t row = 0; row < table.row_count(); ++row) {
      if (text_at(table, row, "name") == "second") return text_at(table, row, "dependency");
    }
    return std::string();
  };
  EXPECT_EQ(dependency(true), "succession");
  EXPECT_EQ(dependency(false), "launch");
}

TEST(Dependencies, ThreadsThatTakeTurnsBoundEachOther) {
  // The forward pass on one thread, the backward pass on another, then the first one again.
  TestRun test;
  int64_t now = 0;
  const auto launches = [&](const std::string& thread) {
    for (int i = 0; i < 50; ++i) {
      const SliceIndex call = test.host(SliceKind::runtime_call, "cudaLaunchKernel", now, 5'000, kNone, thread);
      test.kernel("k", now + 6'000, 1'000, {.launch = call});
      now += 50'000;
    }
  };
  launches("main");
  launches("backward");
  launches("main");
  const Session session = session_of(std::move(test));
  const SessionFacts facts(session);
  TableOptions twice;
  twice.set("scale", {"cudaLaunchKernel=2"});
  const Table changed = make_table(find_analysis("whatif"), facts, twice);
  // 149 launches lie on the path before the last op; each takes 5 us longer.
  EXPECT_NEAR(static_cast<double>(-integer_at(changed, 0, "saved_ns")), 149 * 5'000.0, 15'000.0);
}

TEST(Dependencies, RanksWaitForTheLastToComeToACollective) {
  const auto rank = [](int64_t number, int64_t host) {
    TestRun test(number);
    test.run.rank_known = true;
    test.run.clock_is_unix = true;
    int64_t now = 0;
    for (int i = 0; i < 4; ++i) {
      test.host(SliceKind::annotation, "prepare", now, host);
      const int64_t launched = now + host;
      const SliceIndex call = test.host(SliceKind::runtime_call, "cudaLaunchKernel", launched, 5'000);
      const int64_t end = (i + 1) * 1'000'000;  // all leave together
      const SliceIndex op =
          test.kernel("ncclAllReduce", launched + 6'000, end - launched - 6'000,
                      {.kind = OpKind::communication, .kernel_class = KernelClass::collective, .launch = call});
      test.run.timeline.collectives.push_back({.slice = op,
                                               .name = test.run.timeline.names.intern("allreduce"),
                                               .group = test.run.timeline.names.intern("world"),
                                               .group_size = 2});
      test.host(SliceKind::runtime_call, "cudaDeviceSynchronize", launched + 5'000, end + 2'000 - launched - 5'000);
      now = end + 2'000;
    }
    return test;
  };
  const Session session = session_of(rank(0, 100'000), rank(1, 894'000));
  const SessionFacts facts(session);
  TableOptions by_rank;
  by_rank.set("by", {"rank"});
  const Table path = make_table(find_analysis("critical_path"), facts, by_rank);
  int64_t prepared_on_1 = 0;
  for (size_t row = 0; row < path.row_count(); ++row) {
    if (text_at(path, row, "bound_by") == "host_code" && text_at(path, row, "name") == "1") {
      prepared_on_1 = integer_at(path, row, "total_ns");
    }
  }
  EXPECT_GT(prepared_on_1, 3 * 880'000);  // the late rank's preparation bounds, not the other's communication
}

/// Two ranks that prepare for so long, meet in MPI_Allreduce, which takes 50 us from there, and compute for 100 us.
Session ranks_that_meet_on_hosts(const std::array<int64_t, 2>& prepare) {
  const auto rank = [&](int64_t number) {
    TestRun test(number);
    test.run.rank_known = true;
    test.run.clock_is_unix = true;
    int64_t now = 0;
    for (int i = 0; i < 4; ++i) {
      const int64_t own = prepare[static_cast<size_t>(number)];
      test.host(SliceKind::annotation, "prepare " + std::to_string(number), now, own);
      const int64_t left = now + std::max(prepare[0], prepare[1]) + 50'000;
      test.host(SliceKind::annotation, "MPI_Allreduce", now + own, left - now - own);
      const SliceIndex call = test.host(SliceKind::runtime_call, "cudaLaunchKernel", left, 5'000);
      test.kernel("gemm", left + 6'000, 100'000, {.launch = call});
      test.host(SliceKind::runtime_call, "cudaDeviceSynchronize", left + 5'000, 103'000);
      now = left + 108'000;
    }
    return test;
  };
  return session_of(rank(0), rank(1));
}

TEST(Dependencies, RanksWaitForTheLastToComeToACollectiveOfTheirHosts) {
  const Session session = ranks_that_meet_on_hosts({100'000, 894'000});
  const SessionFacts facts(session);
  const Table path = make_table(find_analysis("critical_path"), facts);
  std::map<std::string, int64_t> by_kind;
  for (size_t row = 0; row < path.row_count(); ++row) {
    by_kind[text_at(path, row, "bound_by")] += integer_at(path, row, "total_ns");
  }
  EXPECT_EQ(by_kind["host_code"], 4 * 894'000);
  EXPECT_EQ(by_kind["communication"], 4 * 50'000);
  EXPECT_EQ(by_kind.count("other_rank"), 0U);

  // As if rank 1 prepared for as long as rank 0 does.
  TableOptions as_the_other;
  as_the_other.set("scale", {"prepare 1=" + std::to_string(100.0 / 894)});
  const Session twin = ranks_that_meet_on_hosts({100'000, 100'000});
  EXPECT_NEAR(static_cast<double>(total_of(make_table(find_analysis("whatif"), facts, as_the_other), "predicted_ns")),
              static_cast<double>(total_of(make_table(find_analysis("whatif"), SessionFacts(twin)), "measured_ns")),
              10);
  // The finding says the same of the rank.
  const Table findings = make_table(find_analysis("findings"), facts);
  ASSERT_GE(findings.row_count(), 1U);
  EXPECT_EQ(text_at(findings, 0, "rule"), "straggler");
  EXPECT_EQ(integer_at(findings, 0, "rank"), 1);
  // What is judged begins with the first launch, after the first of four preparations.
  EXPECT_NEAR(static_cast<double>(integer_at(findings, 0, "recoverable_ns")), 3 * 794'000.0, 10'000);
  EXPECT_NE(text_at(findings, 0, "evidence").find("4 of 4 collectives of the hosts"), std::string::npos);
  const Table healthy = make_table(find_analysis("findings"), SessionFacts(twin));
  for (size_t row = 0; row < healthy.row_count(); ++row) EXPECT_NE(text_at(healthy, row, "rule"), "straggler");

  // Where no rank waits in the collective, each rank goes its own way.
  TableOptions alone;
  alone.set("scale", {"prepare 1=0"});
  alone.set("free", {"other_rank"});
  EXPECT_NEAR(static_cast<double>(total_of(make_table(find_analysis("whatif"), facts, alone), "predicted_ns")),
              4 * (100'000 + 50'000 + 108'000.0), 10'000);
}

TEST(Dependencies, AnOpMayTakeAsMuchLongerAsItsSlackSays) {
  for (const bool waits : {true, false}) {
    const Session session = run_of({.python = 60'000, .waits = waits});
    const SessionFacts facts(session);
    const DependencyGraph& graph = facts.dependencies();
    const std::vector<int64_t> ends = period_ends(facts);
    const std::vector<int64_t> found = slacks(graph, ends);
    const std::vector<int64_t> weights = weights_of(graph);
    const auto is_late = [&](uint32_t edge, int64_t by) {
      std::vector<int64_t> longer = weights;
      longer[edge] += by;
      const std::vector<int64_t> times = replay(graph, longer).times;
      return !std::equal(times.begin(), times.end(), ends.begin(), std::less_equal<>());
    };
    std::map<bool, int> critical;
    for (MomentIndex to = 0; to < found.size(); ++to) {
      const uint32_t edge = graph.moments()[to].bound_by;
      if (graph.moments()[to].kind != Moment::Kind::end || graph.edges()[edge].kind != EdgeKind::work) continue;
      ++critical[found[to] == 0];
      EXPECT_FALSE(is_late(edge, found[to])) << to;
      EXPECT_TRUE(is_late(edge, found[to] + 1)) << to;
    }
    EXPECT_GT(critical[false], 100);
    EXPECT_GT(critical[true], 0);
  }
}

TEST(Dependencies, WhatIsOnTheCriticalPathHasNoSlack) {
  const Session session = run_of({});
  const SessionFacts facts(session);
  const DependencyGraph& graph = facts.dependencies();
  const std::vector<int64_t> found = slacks(graph, period_ends(facts));
  const Replay same = replay(graph, weights_of(graph));
  size_t walked = 0;
  for (const Period& period : periods_of_session(facts)) {
    walk_critical_path(graph, same, period.last, period.begin, [&](uint32_t, MomentIndex to, int64_t, int64_t) {
      EXPECT_EQ(found[to], 0) << to;
      ++walked;
    });
  }
  EXPECT_GT(walked, 10U);
}

TEST(Dependencies, ChangesThatAreNoneAreRefused) {
  const Session session = run_of({});
  const SessionFacts facts(session);
  const auto refused = [&](const char* option, const char* value) {
    TableOptions options;
    options.set(option, {value});
    EXPECT_THROW(make_table(find_analysis("whatif"), facts, options), std::exception) << option << " " << value;
  };
  refused("scale", "gemm");
  refused("scale", "gemm=-1");
  refused("scale", "gemm=fast");
  refused("scale", "nothing_of_this_name=0.5");
  refused("free", "coffee");
}

}  // namespace
}  // namespace cgpu
