#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/ncu/figures.h"
#include "readers/reader.h"

namespace cgpu::ncu {
namespace {

using cgpu::test::TestFile;

cgpu::Run read_csv(const std::string& text) {
  const TestFile file(text, ".csv");
  return std::move(open_inputs({file.path()}, {}).runs.front());
}

std::string row(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    line += line.empty() ? "\"" : ",\"";
    for (const char c : field) line += c == '"' ? "\"\"" : std::string(1, c);
    line += "\"";
  }
  return line + "\n";
}

const std::vector<std::string> kAbout = {"ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                                         "Stream", "Block Size", "Grid Size",    "Device",    "CC"};

/// A row about a launch, and then `rest`.
std::string launch_row(int id, const std::vector<std::string>& rest) {
  std::vector<std::string> fields = {
      std::to_string(id), "99",           "app", "node", "void f<1, 2>(int, \"x\")", "1", "7",
      "(256, 1, 1)",      "(1024, 2, 1)", "3",   "7.5"};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return row(fields);
}
std::string header_row(const std::vector<std::string>& rest) {
  std::vector<std::string> fields = kAbout;
  fields.insert(fields.end(), rest.begin(), rest.end());
  return row(fields);
}

const std::string kDetails =
    header_row({"Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type",
                "Rule Description", "Estimated Speedup Type", "Estimated Speedup"});

std::string metric_row(int id, const std::string& section, const std::string& metric, const std::string& unit,
                       const std::string& value) {
  return launch_row(id, {section, metric, unit, value});
}
std::string rule_row(int id, const std::string& rule, const std::string& type, const std::string& text,
                     const std::string& scope, const std::string& speedup) {
  return launch_row(id, {"Occupancy", "", "", "", rule, type, text, scope, speedup});
}

const std::string kPage =
    "==PROF== Connected to process 99 (/bin/app)\n{ \"the app\": \"says this\n\"ID of what\"\n" + kDetails +
    metric_row(4, "GPU Speed Of Light Throughput", "Duration", "usecond", "21,058.94") +
    metric_row(4, "GPU Speed Of Light Throughput", "Memory Throughput", "%", "61.84") +
    metric_row(4, "GPU Speed Of Light Throughput", "Compute (SM) Throughput", "%", "1.30") +
    metric_row(4, "Memory Workload Analysis", "Memory Throughput", "Gbyte/second", "196.5") +
    metric_row(4, "Launch Statistics", "Registers Per Thread", "register/thread", "1,032") +
    metric_row(4, "Launch Statistics", "Function Cache Configuration", "", "PreferNone") +
    rule_row(4, "Achieved", "OPT", "a \"big\" loss", "global", "38.16") +
    rule_row(4, "Achieved", "WRN", "b", "local", "1,000") + rule_row(4, "Info", "INF", "c", "", "") +
    metric_row(5, "GPU Speed Of Light Throughput", "Duration", "ns", "7") + "==WARNING== late words\n";

TEST(NcuCsv, DetailsPage) {
  const cgpu::Run run = read_csv(kPage);
  EXPECT_EQ(run.format, "ncu-csv");
  ASSERT_EQ(run.launch_metrics->launches.size(), 2u);
  const ProfiledLaunch& launch = run.launch_metrics->launches[0];
  EXPECT_EQ(launch.id, 4);
  EXPECT_EQ(launch.kernel, "void f<1, 2>(int, \"x\")");
  EXPECT_EQ(launch.grid, (std::array<int64_t, 3>{1024, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<int64_t, 3>{256, 1, 1}));
  EXPECT_EQ(launch.device, 3);
  EXPECT_EQ(launch.stream, 7);
  EXPECT_EQ(launch.duration_ns, 21058940);
  EXPECT_EQ(launch.memory_pct, 61.84);
  EXPECT_EQ(launch.compute_pct, 1.3);
  EXPECT_EQ(launch.dram_bytes_per_s, 196.5e9) << "the same label in another section";
  EXPECT_EQ(launch.registers, 1032);
  EXPECT_FALSE(launch.dram_pct);
  ASSERT_EQ(launch.metrics.size(), 6u);
  EXPECT_EQ(run.launch_metrics->names[launch.metrics[5].text], "PreferNone");
  ASSERT_EQ(launch.rules.size(), 3u);
  EXPECT_EQ(launch.rules[0].message, "a \"big\" loss");
  EXPECT_EQ(launch.rules[0].speedup_scope, "kernel");
  EXPECT_EQ(launch.rules[0].speedup_pct, 38.16);
  EXPECT_EQ(launch.rules[1].speedup_pct, 1000);
  EXPECT_EQ(launch.rules[1].speedup_scope, "unit");
  EXPECT_EQ(launch.rules[2].severity, "information");
  EXPECT_FALSE(launch.rules[2].speedup_pct);
  EXPECT_EQ(run.launch_metrics->launches[1].duration_ns, 7);
  ASSERT_EQ(run.devices.size(), 1u);
  EXPECT_EQ(run.devices[0].compute_capability, "7.5");
  for (const Note& note : run.notes.all()) EXPECT_EQ(note.code, "not_collected") << note.text;
}

TEST(NcuCsv, RawPage) {
  std::vector<std::string> units(kAbout.size(), "");
  units.insert(units.end(), {"", "msecond", "Mbyte/second", "register/thread", "", "%"});
  const cgpu::Run run =
      read_csv(header_row({"thread Domain:Push/Pop_Range:PL_Type", "gpu__time_duration.sum",
                           "dram__bytes.sum.per_second", "launch__registers_per_thread", "launch__func_cache_config",
                           "sm__warps_active.avg.pct_of_peak_sustained_active"}) +
               row(units) + launch_row(0, {"x:y", "1.5", "2,000.25", "16", "Shared", "50"}) +
               launch_row(1, {"", "2", "", "n/a"}) + launch_row(2, {"", "2", "3", "4", "x", "5", "6"}));
  ASSERT_EQ(run.launch_metrics->launches.size(), 3u);
  const ProfiledLaunch& first = run.launch_metrics->launches[0];
  EXPECT_EQ(first.duration_ns, 1500000);
  EXPECT_EQ(first.dram_bytes_per_s, 2000.25e6);
  EXPECT_EQ(first.registers, 16);
  EXPECT_EQ(first.achieved_occupancy_pct, 50);
  EXPECT_EQ(first.metrics.size(), 5u);
  const ProfiledLaunch& ragged = run.launch_metrics->launches[1];
  EXPECT_EQ(ragged.duration_ns, 2000000);
  EXPECT_FALSE(ragged.dram_bytes_per_s) << "empty is absent";
  EXPECT_FALSE(ragged.registers);
  EXPECT_EQ(run.notes.count("ragged_row"), 2);
}

TEST(NcuCsv, NumbersOfOtherLanguagesAreNotGuessed) {
  const cgpu::Run run =
      read_csv(kDetails + metric_row(0, "GPU Speed Of Light Throughput", "Memory Throughput", "%", "61,84") +
               metric_row(0, "GPU Speed Of Light Throughput", "Duration", "ns", "1.234.567") +
               metric_row(0, "GPU Speed Of Light Throughput", "DRAM Throughput", "%", "1,23,456"));
  const ProfiledLaunch& launch = run.launch_metrics->launches[0];
  EXPECT_FALSE(launch.memory_pct);
  EXPECT_FALSE(launch.duration_ns);
  EXPECT_FALSE(launch.dram_pct);
  EXPECT_EQ(run.notes.count("invalid_number"), 3);
}

TEST(NcuCsv, OldHeadersHaveFewerColumns) {
  const cgpu::Run run = read_csv(
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\",\"Context\",\"Stream\","
      "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"1\",\"a\",\"h\",\"k\",\"2020-Jan-01 00:00:00\",\"1\",\"7\",\"GPU Speed Of Light\",\"SOL "
      "SM\",\"%\",\"12.5\"\n");
  const ProfiledLaunch& launch = run.launch_metrics->launches[0];
  EXPECT_EQ(launch.compute_pct, 12.5);
  EXPECT_FALSE(launch.grid);
  EXPECT_FALSE(launch.device);
  EXPECT_EQ(launch.metrics.size(), 1u);
}

TEST(NcuCsv, TwoPagesBehindEachOther) {
  const cgpu::Run run = read_csv(kPage + kPage);
  EXPECT_EQ(run.launch_metrics->launches.size(), 4u);
}

TEST(NcuCsv, TruncatedAnywhereGivesWhatWasBefore) {
  size_t before = 0;
  for (size_t part = 1; part <= 64; ++part) {
    const std::string cut = kPage.substr(0, kPage.size() * part / 64);
    size_t metrics = 0;
    try {
      const cgpu::Run run = read_csv(cut);
      for (const ProfiledLaunch& launch : run.launch_metrics->launches) metrics += launch.metrics.size();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
    EXPECT_GE(metrics, before);
    before = metrics;
  }
  EXPECT_EQ(before, 7u);
  const cgpu::Run cut = read_csv(kPage.substr(0, kPage.rfind("\"Duration\"") + 4));
  EXPECT_EQ(cut.notes.count("truncated_input"), 1);
  EXPECT_EQ(cut.launch_metrics->launches.size(), 1u);
}

TEST(NcuCsv, WhatIsNoPageIsOneClearLine) {
  EXPECT_THROW(read_csv(kDetails), Error);
  EXPECT_THROW(read_csv("\"ID\",\"Process ID\"\n\"0\",\"1\"\n"), Error);
  EXPECT_THROW(read_csv("\"ID\",\"x\"\n"), Error);
  const TestFile other("hello\n", ".csv");
  EXPECT_THROW(open_inputs({other.path()}, {1, "ncu-csv", {}}), Error);
  EXPECT_THROW(open_inputs({other.path()}, {1, "ncu-rep", {}}), Error);
  const std::string folder = other.path() + ".folder";
  std::filesystem::create_directory(folder);
  EXPECT_THROW(open_inputs({other.path() + ".[f]older"}, {1, "ncu-rep", {}}), Error) << "an empty folder by a pattern";
  std::filesystem::remove(folder);
}

TEST(NcuCsv, RowsThatAreNoRowsAreCounted) {
  const cgpu::Run run = read_csv(kPage + "the app says goodbye\n\"6\",\"1\",\"a\"\n");
  EXPECT_EQ(run.notes.count("skipped_row"), 2);
  EXPECT_EQ(run.launch_metrics->launches.size(), 2u);
}

TEST(NcuFigures, OccupanciesAboveAllAreShownAsMeasured) {
  const cgpu::Run run = read_csv(kDetails + metric_row(0, "Occupancy", "Achieved Occupancy", "%", "104.17") +
                                 metric_row(0, "Occupancy", "Theoretical Occupancy", "%", "100") +
                                 metric_row(1, "Occupancy", "Achieved Occupancy", "%", "99.9"));
  const std::vector<ProfiledLaunch>& launches = run.launch_metrics->launches;
  EXPECT_EQ(launches[0].achieved_occupancy_pct, 104.17);
  EXPECT_EQ(launches[0].theoretical_occupancy_pct, 100);
  EXPECT_EQ(launches[1].achieved_occupancy_pct, 99.9);
  EXPECT_EQ(run.notes.count("occupancy_above_100"), 1);
}

TEST(NcuFigures, PrintedUnits) {
  const auto scale = [](std::string_view unit) {
    const Scale found = scale_of_unit(unit);
    return found.unit + " " + std::to_string(found.exponent);
  };
  EXPECT_EQ(scale("msecond"), "ns 6");
  EXPECT_EQ(scale("us"), "ns 3");
  EXPECT_EQ(scale("s"), "ns 9");
  EXPECT_EQ(scale("Ghz"), "hz 9");
  EXPECT_EQ(scale("cycle/nsecond"), "hz 9");
  EXPECT_EQ(scale("Kbyte/block"), "byte/block 3");
  EXPECT_EQ(scale("Tbyte/s"), "byte/s 12");
  EXPECT_EQ(scale("%"), "% 0");
  EXPECT_EQ(scale("Kittens"), "Kittens 0");
  EXPECT_EQ(scale(""), " 0");
}

}  // namespace
}  // namespace cgpu::ncu
