#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "links/window.h"

namespace cgpu {
namespace {

/// Two kernels with a gap from 100 to 200 between them, in which the host is in ops, in nothing and in a launch.
TestRun run_with_a_gap() {
  TestRun run(3);
  run.host(kOp, "aten::item", 0, 120);
  run.host(kOp, "aten::mul", 130, 15);
  run.host(kOp, "aten::mul", 150, 50);
  const SliceIndex launch = run.host(kCall, "cudaLaunchKernel", 180, 15, 2);
  run.kernel("first", 50, 50, {0, 7, OpKind::compute, KernelClass::gemm, kNone});
  run.kernel("second", 200, 10, {0, 7, OpKind::compute, KernelClass::gemm, launch});
  return run;
}

TEST(IdleGaps, ARowForEachPartWithOneCauseAndMostOfItsCulprit) {
  const Table table = idle_gaps_table(session_of(run_with_a_gap()));
  expect_well_formed(table);
  struct Row {
    int64_t start, duration;
    const char *cause, *culprit;
    int64_t culprit_ns, slice;
  };
  const std::vector<Row> rows = {{100, 80, "host_code", "aten::mul", 45, 1},
                                 {180, 20, "launch_overhead", "cudaLaunchKernel", 20, 3}};
  ASSERT_EQ(table.row_count(), rows.size());
  for (size_t row = 0; row < rows.size(); ++row) {
    SCOPED_TRACE(row);
    EXPECT_EQ(integer_at(table, row, "rank"), 3);
    EXPECT_EQ(integer_at(table, row, "device"), 0);
    EXPECT_EQ(integer_at(table, row, "start_ns"), rows[row].start);
    EXPECT_EQ(integer_at(table, row, "duration_ns"), rows[row].duration);
    EXPECT_EQ(text_at(table, row, "cause"), rows[row].cause);
    EXPECT_EQ(text_at(table, row, "culprit"), rows[row].culprit);
    EXPECT_EQ(integer_at(table, row, "culprit_ns"), rows[row].culprit_ns);
    EXPECT_EQ(integer_at(table, row, "culprit_slice"), rows[row].slice);
    EXPECT_EQ(text_at(table, row, "op_before"), "first");
    EXPECT_EQ(text_at(table, row, "op_after"), "second");
    EXPECT_EQ(integer_at(table, row, "gap_start_ns"), 100);
    EXPECT_EQ(integer_at(table, row, "gap_ns"), 100);
    EXPECT_EQ(integer_at(table, row, "op_before_slice"), 4);
    EXPECT_EQ(integer_at(table, row, "op_after_slice"), 5);
  }
}

TEST(IdleGaps, OfASelectedTimeNameItsSlices) {
  const auto whole = std::make_shared<const Session>(session_of(run_with_a_gap()));
  Part part;
  part.window = {125, 500};
  part.takes = [](TrackIndex, SliceKind kind) { return kind != kCall; };
  const Session cut = cut_out(whole, {part});
  const Table none = idle_gaps_table(cut);
  EXPECT_EQ(none.row_count(), 0u) << "the op before the gap lies outside";
  part.window = {60, 500};
  const Table table = idle_gaps_table(cut_out(whole, {part}));
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(integer_at(table, 0, "start_ns"), 40);
  EXPECT_EQ(integer_at(table, 0, "culprit_slice"), 1);
  EXPECT_EQ(text_at(table, 1, "culprit"), "cudaLaunchKernel");
  EXPECT_TRUE(absent_at(table, 1, "culprit_slice")) << "not in the part";
  EXPECT_EQ(integer_at(table, 1, "op_before_slice"), 3);
  EXPECT_EQ(integer_at(table, 1, "op_after_slice"), 4);
}

TEST(IdleGaps, WithoutACulprit) {
  TestRun run;
  run.kernel("a", 0, 10);
  run.kernel("b", 30, 10);
  const Table table = idle_gaps_table(session_of(run));
  ASSERT_EQ(table.row_count(), 1u);
  EXPECT_EQ(text_at(table, 0, "culprit"), "(no calls recorded)");
  EXPECT_EQ(integer_at(table, 0, "culprit_ns"), 20);
  EXPECT_TRUE(absent_at(table, 0, "culprit_slice"));
}

TEST(IdleGaps, BeginWithTheOpThatEndsLast) {
  TestRun run;
  run.kernel("long", 0, 100);
  run.kernel("short", 10, 20);
  run.kernel("empty", 120, 0);
  run.kernel("next", 150, 10);
  run.kernel("empty at the end", 170, 0);
  const Table table = idle_gaps_table(session_of(run));
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(text_at(table, 0, "op_before"), "long");
  EXPECT_EQ(text_at(table, 0, "op_after"), "next");
  EXPECT_EQ(integer_at(table, 0, "duration_ns"), 50);
  EXPECT_EQ(text_at(table, 1, "op_before"), "next");
  EXPECT_EQ(text_at(table, 1, "op_after"), "empty at the end");
}

/// By rank, device and cause: gaps with such a part, their sum, and the most of one gap.
using Sums = std::map<std::tuple<int64_t, int64_t, std::string>, std::tuple<int64_t, int64_t, int64_t>>;

Sums sums_of_causes(const Table& idle) {
  Sums sums;
  for (size_t row = 0; row < idle.row_count(); ++row) {
    sums[{integer_at(idle, row, "rank"), integer_at(idle, row, "device"), text_at(idle, row, "cause")}] = {
        integer_at(idle, row, "count"), integer_at(idle, row, "total_ns"), integer_at(idle, row, "max_ns")};
  }
  return sums;
}

Sums sums_of_gaps(const Table& gaps) {
  std::map<std::tuple<int64_t, int64_t, std::string>, std::map<int64_t, int64_t>> by_gap;
  for (size_t row = 0; row < gaps.row_count(); ++row) {
    by_gap[{integer_at(gaps, row, "rank"), integer_at(gaps, row, "device"), text_at(gaps, row, "cause")}]
          [integer_at(gaps, row, "gap_start_ns")] += integer_at(gaps, row, "duration_ns");
  }
  Sums sums;
  for (const auto& [key, times] : by_gap) {
    auto& [count, total, most] = sums[key];
    for (const auto& of_gap : times) {
      ++count;
      total += of_gap.second;
      most = std::max(most, of_gap.second);
    }
  }
  return sums;
}

/// By rank, device, cause and culprit.
using Blamed = std::map<std::tuple<int64_t, int64_t, std::string, std::string>, int64_t>;

Blamed times_of_culprits(const Table& table, const std::string& time) {
  Blamed blamed;
  for (size_t row = 0; row < table.row_count(); ++row) {
    blamed[{integer_at(table, row, "rank"), integer_at(table, row, "device"), text_at(table, row, "cause"),
            text_at(table, row, "culprit")}] += integer_at(table, row, time);
  }
  return blamed;
}

/// The rows of a device come in order of time and do not overlap, and those of a gap fill it.
void expect_in_order(const Table& gaps) {
  std::map<std::pair<int64_t, int64_t>, int64_t> ends;
  std::map<std::pair<int64_t, int64_t>, std::pair<int64_t, int64_t>> left;  // of the last gap: its end, what is left
  for (size_t row = 0; row < gaps.row_count(); ++row) {
    const std::pair device(integer_at(gaps, row, "rank"), integer_at(gaps, row, "device"));
    const int64_t start = integer_at(gaps, row, "start_ns");
    const int64_t duration = integer_at(gaps, row, "duration_ns");
    EXPECT_GT(duration, 0);
    EXPECT_GT(integer_at(gaps, row, "culprit_ns"), 0);
    EXPECT_LE(integer_at(gaps, row, "culprit_ns"), duration);
    if (ends.contains(device)) {
      EXPECT_GE(start, ends[device]);
    }
    ends[device] = start + duration;
    if (start == integer_at(gaps, row, "gap_start_ns")) {
      EXPECT_EQ(left[device].second, 0);
      left[device] = {start + integer_at(gaps, row, "gap_ns"), integer_at(gaps, row, "gap_ns")};
    }
    left[device].second -= duration;
    EXPECT_LE(start + duration, left[device].first);
  }
  for (const auto& of_device : left) EXPECT_EQ(of_device.second.second, 0);
}

TEST(IdleGaps, AddUpToIdle) {
  const std::vector<NamedKind> vocabulary = {{kCall, "cudaLaunchKernel"},
                                             {kCall, "cudaStreamSynchronize"},
                                             {kCall, "cudaMalloc"},
                                             {SliceKind::annotation, "enumerate(DataLoader)#next"},
                                             {SliceKind::annotation, "ProfilerStep#7"},
                                             {SliceKind::framework_op, "aten::mm"},
                                             {SliceKind::python_function, "f.py(1): f"},
                                             {SliceKind::overhead, "Buffer Flush"}};
  size_t rows = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const HostShape shape = seed % 2 == 0 ? HostShape::nested : HostShape::overlapping;
    const auto whole = std::make_shared<const Session>(
        session_of(RandomRun(seed, vocabulary, shape), RandomRun(seed + 1000, vocabulary, shape)));
    Part part;
    part.window = {60, 250};
    const Session cut = cut_out(whole, {part, part});
    for (const Session* session : {whole.get(), &cut}) {
      const Table gaps = idle_gaps_table(*session);
      expect_in_order(gaps);
      EXPECT_EQ(sums_of_gaps(gaps), sums_of_causes(idle_table(*session)));
      Blamed of_hosts = times_of_culprits(idle_hosts_table(*session), "total_ns");
      for (const auto& [who, time] : times_of_culprits(gaps, "culprit_ns")) EXPECT_LE(time, of_hosts[who]);
      rows += gaps.row_count();
    }
  }
  EXPECT_GT(rows, 5000u);
}

}  // namespace
}  // namespace cgpu
