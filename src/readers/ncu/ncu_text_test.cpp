#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/ncu/ncu.h"
#include "readers/reader.h"

namespace cgpu::ncu {
namespace {

using cgpu::test::TestFile;

const std::string kLog = R"(==PROF== Connected to process 7918 (/tmp/a.out)
==PROF== Profiling "f" - 0: 0%....50%....100% - 8 passes
  Section: printed by the program, before any launch
==PROF== Disconnected from process 7918
[7918] a.out@127.0.0.1
  void f<int>(int, float *) (32, 2, 1)x(64, 1, 1), Context 1, Stream 7, Device 0, CC 8.6
    Section: GPU Speed Of Light Throughput
    ----------------------- ----------- ------------
    Metric Name             Metric Unit Metric Value
    ----------------------- ----------- ------------
    Duration                    usecond     1,262.50
    Compute (SM) Throughput           %        66.57
    Achieved Occupancy                %          n/a
    ----------------------- ----------- ------------

    OPT   Est. Speedup: 26.5%                                                 
          Look at the memory
          first.

    INF   All is well.
    Section: Occupancy
    ------------------ ----------- ------------
    Metric Name        Metric Unit Metric Value
    ------------------ ----------- ------------
    Achieved Occupancy           %        16.27
    ------------------ ----------- ------------

  g, 2020-Mar-05 11:05:23, Context 1, Stream 13
    Section: Command line profiler metrics
    ---------------------- ----- ---------
    sm__cycles_elapsed.max cycle 1,234,567
    ---------------------- ----- ---------
)";

cgpu::Run read_log(const std::string& text) {
  const TestFile file(text, ".txt");
  Session session = open_inputs({file.path()}, {});
  return std::move(session.runs.front());
}

TEST(NcuText, ReadsLaunchesMetricsAndFindings) {
  const cgpu::Run run = read_log(kLog);
  EXPECT_EQ(run.format, "ncu-text");
  ASSERT_TRUE(run.launch_metrics);
  const std::vector<ProfiledLaunch>& launches = run.launch_metrics->launches;
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kernel, "void f<int>(int, float *)");
  EXPECT_EQ(*launches[0].grid, (std::array<int64_t, 3>{32, 2, 1}));
  EXPECT_EQ(*launches[0].block, (std::array<int64_t, 3>{64, 1, 1}));
  EXPECT_EQ(launches[0].stream, 7);
  EXPECT_EQ(launches[0].duration_ns, 1262500);
  EXPECT_EQ(launches[0].compute_pct, 66.57);
  EXPECT_EQ(launches[0].achieved_occupancy_pct, 16.27);
  EXPECT_EQ(launches[0].metrics.size(), 3u) << "n/a is none";
  ASSERT_EQ(run.devices.size(), 1u);
  EXPECT_EQ(run.devices[0].compute_capability, "8.6");
  ASSERT_EQ(launches[0].rules.size(), 2u);
  EXPECT_EQ(launches[0].rules[0].message, "Look at the memory first.");
  EXPECT_EQ(launches[0].rules[0].speedup_pct, 26.5);
  EXPECT_EQ(launches[0].rules[0].speedup_scope, "kernel");
  EXPECT_EQ(launches[0].rules[0].severity, "optimization");
  EXPECT_EQ(launches[0].rules[1].message, "All is well.");
  EXPECT_EQ(launches[1].kernel, "g") << "the first versions print a date and no header of the table";
  EXPECT_EQ(launches[1].metrics[0].number, 1234567);
}

TEST(NcuText, ASummaryIsTheAverageOverInvocations) {
  const cgpu::Run run = read_log(
      "    f(int) (32, 1, 1)x(32, 1, 1), Invocations 10\n      Section: Occupancy\n"
      "      ------------------ ----------- ------- ------- -------\n"
      "      Metric Name        Metric Unit Minimum Maximum Average\n"
      "      ------------------ ----------- ------- ------- -------\n"
      "      Achieved Occupancy           %   16.27   16.29   16.28\n"
      "      ------------------ ----------- ------- ------- -------\n");
  EXPECT_EQ(run.launch_metrics->launches.at(0).achieved_occupancy_pct, 16.28);
  EXPECT_EQ(run.notes.count("averaged_launches"), 1);
}

TEST(NcuText, CutAnywhereIsAPrefixOrRefused) {
  for (size_t size = 1; size < kLog.size(); ++size) {
    try {
      EXPECT_LE(read_log(kLog.substr(0, size)).launch_metrics->launches.size(), 2u);
    } catch (const Error&) {
      EXPECT_LT(size, 400u);
    }
  }
}

TEST(NcuText, OtherTextIsNone) {
  EXPECT_FALSE(is_text("  Section: of a book\n  It was a dark night.\n"));
  EXPECT_FALSE(is_text("a, Context 1\n-----\n"));
  EXPECT_TRUE(is_text(kLog));
  EXPECT_THROW(read_log("==PROF== Connected to process 1\n==PROF== Disconnected from process 1\n"), Error);
}

}  // namespace
}  // namespace cgpu::ncu
