// The small parts of the report: phrases, names, axes, the strip.
#include <gtest/gtest.h>

#include <random>

#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "report/facts.h"
#include "report/phrases.h"
#include "report/svg.h"
#include "report/timeline_strip.h"

namespace cgpu {
namespace {

TEST(Phrases, SharesDoNotRoundToNothingOrAll) {
  EXPECT_EQ(share_text(int64_t{1}, int64_t{3}), "33.3%");
  EXPECT_EQ(share_text(int64_t{0}, int64_t{3}), "0.0%");
  EXPECT_EQ(share_text(int64_t{3}, int64_t{3}), "100.0%");
  EXPECT_EQ(share_text(int64_t{1}, int64_t{100000}), "<0.1%");
  EXPECT_EQ(share_text(int64_t{99999}, int64_t{100000}), ">99.9%");
  EXPECT_EQ(share_text(int64_t{1}, int64_t{0}), "none");
}

TEST(Phrases, CountsAndLists) {
  EXPECT_EQ(counted(1, "step"), "1 step");
  EXPECT_EQ(counted(2345, "step"), "2,345 steps");
  EXPECT_EQ(counted(2, "launch", "launches"), "2 launches");
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(Phrases, LargestShares) {
  EXPECT_EQ(largest_shares({{"a", 10}, {"b", 60}, {"c", 29}, {"d", 1}}, 100, 3), "b 60.0%, c 29.0%, a 10.0%");
  EXPECT_EQ(largest_shares({{"a", 999}, {"b", 1}, {"c", 0}}, 1000, 3), "a 99.9%");
  EXPECT_EQ(largest_shares({{"a", 0}}, 0, 3), "");
}

TEST(Phrases, BriefKernelNames) {
  const auto brief = brief_kernel_name;
  EXPECT_EQ(brief("ampere_sgemm_128x64_tn"), "ampere_sgemm_128x64_tn");
  EXPECT_EQ(brief("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)"),
            "ncclKernel_AllReduce_RING_LL_Sum_float");
  EXPECT_EQ(
      brief("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
            "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)"),
      "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>");
  EXPECT_EQ(brief("void at::native::(anonymous namespace)::f<(int)4>(float*)"), "f<4>");
  EXPECT_EQ(brief("void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
                  "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::"
                  "{lambda()#7}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, int)::"
                  "{lambda(int)#1}>(int, int)"),
            "elementwise_kernel<128, 4, gpu_kernel_impl_nocast<direct_copy_kernel_cuda>>");
  EXPECT_EQ(brief("void f<a::b(c)::'lambda'(float)::operator()(float) const, x::Y>(int)"), "f<b, Y>");
  EXPECT_EQ(brief("Memcpy HtoD (Pinned -> Device)"), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(brief("runFunction - job"), "runFunction - job");
  EXPECT_EQ(brief(""), "");
}

TEST(Phrases, BriefKernelNamesOfAnyText) {
  std::mt19937 random(1);
  const std::string_view alphabet[] = {"<",  ">",      "(",          ")",     "{",
                                       "}",  "::",     ",",          " ",     "'",
                                       "a",  "void ",  "operator()", "const", "(anonymous namespace)::",
                                       "_Z", "Array<", " const::"};
  for (int i = 0; i < 20'000; ++i) {
    std::string name;
    for (size_t n = random() % 30; n > 0; --n) name += alphabet[random() % std::size(alphabet)];
    EXPECT_LE(brief_kernel_name(name).size(), 2 * name.size()) << name;  // a space behind each comma
  }
  for (const char c : {'<', '(', '{', '\'', ':', '>', ','}) {
    EXPECT_LE(brief_kernel_name("a::" + std::string(4000, c)).size(), 8006u);
    EXPECT_EQ(brief_kernel_name("a::" + std::string(100'000, c)).size(), 100'003u);
  }
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "a<";
  EXPECT_EQ(brief_kernel_name(deep).substr(0, 4), "a<a<");
}

TEST(Svg, Numbers) {
  EXPECT_EQ(svg_number(1), "1");
  EXPECT_EQ(svg_number(12.5), "12.5");
  EXPECT_EQ(svg_number(1.0 / 3), "0.333");
  EXPECT_EQ(svg_number(-0.0001), "0");
  EXPECT_EQ(svg_number(std::numeric_limits<double>::quiet_NaN()), "0");
  EXPECT_EQ(svg_number(std::numeric_limits<double>::infinity()), "0");
}

TEST(Svg, AxisTicksAreRoundAndInside) {
  EXPECT_EQ(axis_ticks(0, 100, 5), (std::vector<int64_t>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(axis_ticks(7, 33, 5), (std::vector<int64_t>{10, 20, 30}));
  EXPECT_EQ(axis_ticks(-15, 15, 3), (std::vector<int64_t>{-10, 0, 10}));
  EXPECT_TRUE(axis_ticks(5, 5, 8).empty());
  std::mt19937_64 random(3);
  for (int i = 0; i < 10'000; ++i) {
    const auto begin = static_cast<int64_t>(random() % 1'000'000'000'000'000);
    const int64_t end = begin + 1 + static_cast<int64_t>(random() >> (1 + random() % 62)) % 1'000'000'000'000'000;
    const std::vector<int64_t> ticks = axis_ticks(begin, end, 8);
    ASSERT_LE(ticks.size(), 9u);
    for (const int64_t tick : ticks) ASSERT_TRUE(tick >= begin && tick <= end);
  }
  EXPECT_EQ(tick_text(0), "0");
  EXPECT_EQ(tick_text(200'000'000), "200 ms");
  EXPECT_EQ(tick_text(1'500'000'000), "1.5 s");
  EXPECT_EQ(tick_text(20), "20 ns");
}

TEST(Facts, IncompleteStepsAreLeftOut) {
  Table steps{"steps", ""};
  for (const char* column : {"rank", "step", "start_ns", "duration_ns", "kernel_ns", "memcpy_ns", "memset_ns",
                             "communication_ns", "runtime_ns", "dataloader_ns", "cpu_ns", "other_ns", "complete"}) {
    steps.columns.push_back({column, ColumnType::integer, "ns", ""});
  }
  const auto add = [&](int64_t step, int64_t kernel, int64_t other, int64_t complete) {
    steps.append({int64_t{0}, step, int64_t{0}, kernel + other, kernel, int64_t{0}, int64_t{0}, int64_t{0}, int64_t{0},
                  int64_t{0}, int64_t{0}, other, complete});
  };
  add(1, 10, 20, 1);
  add(2, 10, 30, 1);
  add(3, 1, 1, 0);
  const StepFacts facts = step_facts(steps);
  EXPECT_EQ(facts.rows.size(), 2u);
  EXPECT_EQ(facts.incomplete, 1u);
  EXPECT_EQ(facts.total, 70);
  EXPECT_DOUBLE_EQ(facts.median, 35);
  EXPECT_EQ(facts.longest->index(), 1u);
  int64_t parts = 0;
  for (const NamedTime& part : facts.parts) parts += part.time;
  EXPECT_EQ(parts, facts.total);
}

RunHistory shown_from(const TestRun& run, int64_t zero) {
  RunHistory history = history_of(run.run);
  history.rank = run.run.rank;
  history.zero = zero;
  return history;
}

// Every nanosecond by what it counts for.
TEST(TimelineStrip, EqualsMarkingEveryNanosecond) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    TestRun run(2);
    std::vector<std::array<bool, 3>> marks(400);
    for (size_t n = 1 + random() % 12; n > 0; --n) {
      const auto start = static_cast<int64_t>(random() % 300);
      const auto duration = static_cast<int64_t>(random() % 80);
      const auto kind = random() % 3;
      run.kernel("k", 1000 + start, duration, {0, 7, static_cast<OpKind>(kind), KernelClass::unknown, kNone});
      for (int64_t t = start; t < start + duration; ++t) marks[static_cast<size_t>(t)][kind] = true;
    }
    const size_t buckets = 1 + random() % 40;
    const TimelineStrip strip = make_timeline_strip({shown_from(run, 1000)}, buckets);
    ASSERT_EQ(strip.rows.size(), 1u);
    EXPECT_EQ(strip.rows[0].rank, 2);
    for (size_t i = 0; i < buckets; ++i) {
      StripBucket expected{};
      for (int64_t t = strip.border(i, buckets); t < strip.border(i + 1, buckets); ++t) {
        const auto& mark = marks.at(static_cast<size_t>(t));
        // Compute (0) hides communication (1), both hide memory (2).
        const int kind = mark[0] ? 0 : mark[1] ? 1 : mark[2] ? 2 : -1;
        if (kind >= 0) ++expected[static_cast<size_t>(kind)];
      }
      ASSERT_EQ(strip.rows[0].buckets[i], expected) << "bucket " << i;
    }
  }
}

/// Where its columns are whole buckets of the table, the strip out of the table is the one out of the timelines.
TEST(TimelineStrip, OfTheTableIsThatOfTheTimelines) {
  TestRun run(0);
  std::mt19937 random(5);
  int64_t at = 4096;  // a multiple of any length of bucket
  for (int i = 0; i < 300; ++i) {
    const auto kind = static_cast<OpKind>(random() % 3);
    const auto length = static_cast<int64_t>(random() % 30);
    run.kernel("k", at, length, {static_cast<int32_t>(random() % 2), 7, kind, {}, kNone});
    at += static_cast<int64_t>(random() % 40);
  }
  run.kernel("k", 4096, 1, {0, 7, OpKind::compute, {}, kNone});
  run.kernel("k", 4096, 1, {1, 7, OpKind::compute, {}, kNone});
  const Session session = session_of(run);
  for (const size_t most : {1U, 7U, 64U, 512U}) {
    const TimelineStrip strip = timeline_strip_of(rank_activity_table(session), most);
    ASSERT_LE(strip.rows.front().buckets.size(), most);
    std::vector<RunHistory> histories = {history_of(session.runs[0])};
    histories.front().zero = 4096;
    // Up to the same end, so that the columns are those of the table.
    histories.front().devices.front().span.end = 4096 + strip.end;
    const TimelineStrip wanted = make_timeline_strip(histories, strip.rows.front().buckets.size());
    ASSERT_EQ(strip.rows.size(), 2U);
    EXPECT_EQ(strip.begin, wanted.begin);
    EXPECT_EQ(strip.end, wanted.end);
    for (size_t row = 0; row < 2; ++row) EXPECT_EQ(strip.rows[row].buckets, wanted.rows[row].buckets) << most;
  }
  EXPECT_TRUE(timeline_strip_of(Table(), 10).rows.empty());
}

TEST(TimelineStrip, NothingToDraw) {
  EXPECT_TRUE(make_timeline_strip({}, 10).rows.empty());
  TestRun run;
  run.kernel("k", 5, 0);
  const TimelineStrip strip = make_timeline_strip({history_of(run.run)}, 10);
  EXPECT_EQ(strip.begin, strip.end);
}

}  // namespace
}  // namespace cgpu
