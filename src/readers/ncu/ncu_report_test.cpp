#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/ncu/figures.h"
#include "readers/ncu/ncu.h"
#include "readers/ncu/report_writer.h"
#include "readers/reader.h"

namespace cgpu::ncu {
namespace {

using cgpu::test::TestFile;
using test::Message;
using test::ReportWriter;

cgpu::Run read_report(const std::string& bytes) {
  const TestFile file(bytes, ".ncu-rep");
  return std::move(open_inputs({file.path()}, {}).runs.front());
}

ReportWriter::Launch measured_launch() {
  ReportWriter::Launch launch;
  launch.metrics = {
      {"gpu__time_duration.sum", 5184},
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 12.5},
      {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 80},
      {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 79},
      {"l1tex__throughput.avg.pct_of_peak_sustained_active", 30},
      {"lts__throughput.avg.pct_of_peak_sustained_elapsed", 40},
      {"sm__warps_active.avg.pct_of_peak_sustained_active", 55.5},
      {"sm__maximum_warps_per_active_cycle_pct", 75},
      {"launch__registers_per_thread", 38},
      {"launch__shared_mem_per_block_static", 1024},
      {"launch__shared_mem_per_block_dynamic", 512},
      {"launch__device_id", 1},
      {"launch__stream_id", 16},
      {"dram__bytes.sum.per_second", 4e9},
      {"smsp__cycles_elapsed.avg.per_second", 1e9},
      {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed", 1},
      {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed", 2},
      {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed", 3},
      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 0},
  };
  launch.texts = {{"launch__func_cache_config", "PreferNone"}};
  launch.more.raw(ReportWriter::section("SpeedOfLight", "GPU Speed Of Light", "gpu__time_duration.sum").bytes());
  launch.more.raw(
      ReportWriter::rule("Bound", "SpeedOfLight", 4, "see @section:Occupancy:the occupancy@", 44.5).bytes());
  launch.more.raw(ReportWriter::rule("Other", "LaunchStats", 1, "fine").bytes());
  return launch;
}

std::string whole_report() {
  ReportWriter report;
  report.host("node7");
  report.tool("Nsight Compute Target", "2025.3.1.0");
  report.source(5000);
  report.launch(measured_launch());
  report.device(1, "NVIDIA H100 PCIe", 114);
  ReportWriter::Launch second;
  second.kernel = "other()";
  second.metrics = {{"gpu__time_duration.sum", 7}, {"gpu__time_duration.sum", 9}};
  report.launch(second);
  return report.bytes();
}

TEST(NcuReport, WhatALaunchSays) {
  const cgpu::Run run = read_report(whole_report());
  EXPECT_EQ(run.format, "ncu-rep");
  EXPECT_EQ(run.format_version, "7");
  EXPECT_EQ(run.host, "node7");
  ASSERT_EQ(run.metadata.size(), 1u);
  EXPECT_EQ(run.metadata[0].first, "nsight_compute_target_version");
  ASSERT_EQ(run.devices.size(), 1u);
  EXPECT_EQ(run.devices[0].name, "NVIDIA H100 PCIe");
  EXPECT_EQ(run.devices[0].sm_count, 114);

  ASSERT_TRUE(run.launch_metrics);
  ASSERT_EQ(run.launch_metrics->launches.size(), 2u);
  const ProfiledLaunch& launch = run.launch_metrics->launches[0];
  EXPECT_EQ(launch.kernel, "kernel(float *)");
  EXPECT_EQ(launch.grid, (std::array<int64_t, 3>{8, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<int64_t, 3>{128, 1, 1}));
  EXPECT_EQ(launch.duration_ns, 5184);
  EXPECT_EQ(launch.compute_pct, 12.5);
  EXPECT_EQ(launch.memory_pct, 80);
  EXPECT_EQ(launch.dram_pct, 79);
  EXPECT_EQ(launch.l1_pct, 30);
  EXPECT_EQ(launch.l2_pct, 40);
  EXPECT_EQ(launch.achieved_occupancy_pct, 55.5);
  EXPECT_EQ(launch.theoretical_occupancy_pct, 75);
  EXPECT_EQ(launch.registers, 38);
  EXPECT_EQ(launch.shared_bytes, 1536);
  EXPECT_EQ(launch.device, 1);
  EXPECT_EQ(launch.stream, 16);
  EXPECT_EQ(launch.dram_bytes_per_s, 4e9);
  EXPECT_EQ(launch.flops_per_s, 9e9);

  const StringPool& names = run.launch_metrics->names;
  ASSERT_EQ(launch.metrics.size(), 20u);
  EXPECT_EQ(names[launch.metrics[0].name], "gpu__time_duration.sum");
  EXPECT_EQ(names[launch.metrics[0].unit], "ns");
  EXPECT_EQ(names[launch.metrics[0].section], "GPU Speed Of Light");
  EXPECT_EQ(names[launch.metrics[19].text], "PreferNone");
  EXPECT_FALSE(launch.metrics[19].number);

  ASSERT_EQ(launch.rules.size(), 2u);
  EXPECT_EQ(launch.rules[0].message, "see the occupancy");
  EXPECT_EQ(launch.rules[0].severity, "optimization");
  EXPECT_EQ(launch.rules[0].speedup_pct, 44.5);
  EXPECT_EQ(launch.rules[0].speedup_scope, "kernel");
  EXPECT_EQ(launch.rules[1].severity, "information");
  EXPECT_FALSE(launch.rules[1].speedup_pct);
}

TEST(NcuReport, WhatWasNotCollectedIsAbsentAndNoted) {
  const cgpu::Run run = read_report(whole_report());
  const ProfiledLaunch& launch = run.launch_metrics->launches[1];
  EXPECT_EQ(launch.duration_ns, 9) << "of several values of a metric the last counts";
  EXPECT_FALSE(launch.compute_pct);
  EXPECT_FALSE(launch.registers);
  EXPECT_FALSE(launch.flops_per_s);
  EXPECT_FALSE(launch.dram_bytes_per_s);
  EXPECT_EQ(run.notes.count("not_collected"), 5) << "one launch, five groups of figures";
  for (const Note& note : run.notes.all()) EXPECT_FALSE(note.damage) << note.text;
}

TEST(NcuReport, OperationsThatWereNotCountedMakeTheRateAbsent) {
  const auto flops = [](const std::vector<std::pair<std::string, double>>& more) {
    ReportWriter::Launch launch = measured_launch();
    launch.metrics.insert(launch.metrics.end(), more.begin(), more.end());
    ReportWriter report;
    report.launch(launch);
    return read_report(report.bytes()).launch_metrics->launches[0].flops_per_s;
  };
  const std::string half = "smsp__sass_thread_inst_executed_op_";
  EXPECT_EQ(flops({{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 3}}), std::nullopt);
  EXPECT_EQ(flops({{"sm__inst_executed_pipe_tensor_op_imma.avg.pct_of_peak_sustained_active", 3}}), 9e9);
  EXPECT_EQ(flops({{"sm__pipe_tensor_cycles_active.avg.peak_sustained", 3}}), 9e9) << "what could be, not what was";
  EXPECT_EQ(flops({{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 3},
                   {"sm__ops_path_tensor_src_fp16_dst_fp32.sum.per_second", 5e9},
                   {"sm__ops_path_tensor_src_int8.sum.per_second", 7e9}}),
            14e9);
  EXPECT_EQ(flops({{"sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_active", 3}}), std::nullopt);
  EXPECT_EQ(flops({{"sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_active", 3},
                   {half + "hadd_pred_on.sum.per_cycle_elapsed", 1},
                   {half + "hmul_pred_on.sum.per_cycle_elapsed", 1},
                   {half + "hfma_pred_on.sum.per_cycle_elapsed", 1},
                   {"derived__" + half + "hfma_pred_on_x4", 4}}),
            9e9 + 6e9);
}

TEST(NcuReport, CompressedReports) {
  const cgpu::Run plain = read_report(whole_report());
  for (const std::string& bytes : {cgpu::test::zstd(whole_report()), cgpu::test::gzip(whole_report())}) {
    const cgpu::Run run = read_report(bytes);
    EXPECT_EQ(run.format, "ncu-rep");
    EXPECT_EQ(run.launch_metrics->launches.size(), plain.launch_metrics->launches.size());
    EXPECT_EQ(run.text_bytes, plain.text_bytes);
  }
  const std::string cut = cgpu::test::zstd(whole_report()).substr(0, 500);
  try {
    EXPECT_GT(read_report(cut).notes.all().size(), 0u);
  } catch (const Error&) {
    // nothing of it could be read
  }
}

TEST(NcuReport, AnotherFileVersionIsRefusedWithAWayOut) {
  for (const uint64_t version : {uint64_t{0}, uint64_t{6}, uint64_t{8}, UINT64_MAX}) {
    ReportWriter report(version);
    report.launch({});
    try {
      read_report(report.bytes());
      FAIL() << version;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("file version " + std::to_string(version)), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("ncu --import"), std::string::npos);
    }
  }
}

TEST(NcuReport, CredentialsOfTheSessionAreNotKept) {
  ReportWriter report;
  report.tool("API_TOKEN", "abc");
  report.tool("driver", "hf_abcdefghijklmnopqrstuvwxyz");
  report.launch({});
  EXPECT_TRUE(read_report(report.bytes()).metadata.empty());
}

TEST(NcuReport, UnknownFieldsAndGroupsAreSkipped) {
  ReportWriter::Launch launch = measured_launch();
  launch.more.varint(99, 5).text(100, "later").raw("\xa3\x06\x08\x01\xa4\x06");  // group 100 { 1: 1 }
  ReportWriter report;
  report.launch(launch);
  const cgpu::Run run = read_report(report.bytes());
  EXPECT_EQ(run.launch_metrics->launches[0].rules.size(), 2u);
  EXPECT_EQ(run.notes.count("damaged_input"), 0);
}

/// Reads whatever it is: launches, or an error of one line.
size_t launches_of(const std::string& bytes) {
  try {
    const cgpu::Run run = read_report(bytes);
    return run.launch_metrics ? run.launch_metrics->launches.size() : 0;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return 0;
  }
}

TEST(NcuReport, TruncatedAnywhereGivesWhatWasBefore) {
  const std::string whole = whole_report();
  size_t before = 0;
  for (size_t part = 1; part < 64; ++part) {
    const std::string cut = whole.substr(0, whole.size() * part / 64);
    const size_t launches = launches_of(cut);
    EXPECT_GE(launches, before);
    EXPECT_LT(launches, 2u);
    if (launches > 0) {
      EXPECT_EQ(read_report(cut).notes.count("truncated_input"), 1) << part;
    }
    before = launches;
  }
  EXPECT_EQ(before, 1u);
  EXPECT_EQ(launches_of(whole), 2u);
}

TEST(NcuReport, EveryByteAtItsExtremes) {
  const std::string whole = whole_report();
  for (size_t i = 0; i<whole.size(); i += i> 300 && i < 5300 ? 97 : 1) {
    for (const char value : {'\0', '\x7f', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[i] = value;
      EXPECT_LE(launches_of(bytes), 3u);
    }
  }
}

TEST(NcuReport, LengthsAreNotBelieved) {
  const std::string huge("\xff\xff\xff\xff", 4);
  const std::string header("NVR\0\x02\0\0\0\x08\x07", 10);
  EXPECT_EQ(launches_of("NVR" + std::string(1, '\0') + huge), 0u);
  EXPECT_EQ(launches_of(header + huge + "x"), 0u);
  EXPECT_EQ(launches_of(header), 0u);
  ReportWriter report;
  report.launch({});
  EXPECT_EQ(launches_of(report.bytes() + huge), 1u);
  report.block(Message().varint(2, 1), huge + "abc");  // a message longer than its block
  report.launch({});
  const cgpu::Run run = read_report(report.bytes());
  EXPECT_EQ(run.launch_metrics->launches.size(), 2u) << "the block after the damaged one is read";
  EXPECT_EQ(run.notes.count("damaged_input"), 1);
}

TEST(NcuReport, ADamagedLaunchKeepsWhatCameBeforeTheDamage) {
  ReportWriter::Launch launch = measured_launch();
  launch.more.raw("\x9a\x01\xff\xff\xff\x7f");  // a rule longer than the launch
  ReportWriter report;
  report.launch(launch);
  const cgpu::Run run = read_report(report.bytes());
  EXPECT_EQ(run.launch_metrics->launches[0].duration_ns, 5184);
  EXPECT_EQ(run.notes.count("damaged_input"), 1);
}

TEST(NcuReport, MetricsWithoutNameOrNumber) {
  ReportWriter::Launch launch;
  launch.metrics = {{"gpu__time_duration.sum", std::nan("")},
                    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 1e300}};
  launch.more.add(13, Message().varint(1, 12345).add(2, Message().real(3, 1)));
  ReportWriter report;
  report.launch(launch);
  const cgpu::Run run = read_report(report.bytes());
  EXPECT_EQ(run.notes.count("damaged_input"), 1);
  EXPECT_FALSE(run.launch_metrics->launches[0].duration_ns);
  EXPECT_EQ(run.launch_metrics->launches[0].metrics.size(), 1u);
}

TEST(NcuFigures, UnitsOfNames) {
  EXPECT_EQ(unit_of_metric("sm__throughput.avg.pct_of_peak_sustained_elapsed"), "%");
  EXPECT_EQ(unit_of_metric("l1tex__t_sector_hit_rate.pct"), "%");
  EXPECT_EQ(unit_of_metric("sm__maximum_warps_per_active_cycle_pct"), "%");
  EXPECT_EQ(unit_of_metric("gpu__time_duration.sum"), "ns");
  EXPECT_EQ(unit_of_metric("dram__bytes.sum"), "byte");
  EXPECT_EQ(unit_of_metric("dram__bytes.sum.per_second"), "byte/s");
  EXPECT_EQ(unit_of_metric("dram__bytes.sum.peak_sustained"), "byte/cycle");
  EXPECT_EQ(unit_of_metric("sm__cycles_elapsed.avg"), "cycle");
  EXPECT_EQ(unit_of_metric("sm__cycles_elapsed.avg.per_second"), "hz");
  EXPECT_EQ(unit_of_metric("smsp__warps_active.avg.per_cycle_active"), "warp");
  EXPECT_EQ(unit_of_metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), "sector");
  EXPECT_EQ(unit_of_metric("lts__t_requests_srcunit_tex.sum.per_second"), "request/s");
  EXPECT_EQ(unit_of_metric("smsp__inst_executed.sum"), "inst");
  EXPECT_EQ(unit_of_metric("smsp__warps_active.avg"), "warp");
  EXPECT_EQ(unit_of_metric("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"), "");
  EXPECT_EQ(unit_of_metric("l1tex__m_xbar2l1tex_read_bytes.sum"), "byte");
  EXPECT_EQ(unit_of_metric("sm__inst_executed.avg.per_cycle_active"), "inst/cycle");
  EXPECT_EQ(unit_of_metric("sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"), "inst/cycle");
  EXPECT_EQ(unit_of_metric("lts__t_sectors.sum.peak_sustained"), "sector/cycle");
  EXPECT_EQ(unit_of_metric("lts__lts2xbar_cycles_active.sum.peak_sustained"), "");
  EXPECT_EQ(unit_of_metric("dram__bytes.sum.peak_sustained_elapsed.per_second"), "byte/s");
  EXPECT_EQ(unit_of_metric("inst_executed"), "inst");
  EXPECT_EQ(unit_of_metric("sass__inst_executed_global_loads"), "inst");
  EXPECT_EQ(unit_of_metric("memory_l2_theoretical_sectors_global"), "sector");
  EXPECT_EQ(unit_of_metric("derived__memory_l2_theoretical_sectors_global_excessive"), "sector");
  EXPECT_EQ(unit_of_metric("derived__lts__lts2xbar_bytes.sum.peak_sustained"), "byte/cycle");
  EXPECT_EQ(unit_of_metric("SM_B.TriageCompute.l1tex__t_sectors.sum"), "sector");
  EXPECT_EQ(unit_of_metric("smsp__pcsamp_dropped_bytes"), "byte");
  EXPECT_EQ(unit_of_metric("smsp__pcsamp_warps_issue_stalled_wait"), "");
  EXPECT_EQ(unit_of_metric("smsp__branch_targets_threads_divergent"), "");
  EXPECT_EQ(unit_of_metric("sm__maximum_warps_avg_per_active_cycle"), "warp");
  EXPECT_EQ(unit_of_metric("launch__registers_per_thread"), "register/thread");
  EXPECT_EQ(unit_of_metric("device__attribute_max_threads_per_block"), "");
  EXPECT_EQ(unit_of_metric("derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2"), "");
  EXPECT_EQ(unit_of_metric("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.max_rate"), "");
  EXPECT_EQ(unit_of_metric("launch__occupancy_limit_warps"), "block");
}

TEST(NcuFigures, LinksInMessages) {
  EXPECT_EQ(without_links("a @section:X:text of it@ b"), "a text of it b");
  EXPECT_EQ(without_links("@url:Guide:https://x.y/z#w@."), "Guide (https://x.y/z#w).");
  EXPECT_EQ(without_links("mail a@b.c and d@e.f"), "mail a@b.c and d@e.f");
  EXPECT_EQ(without_links("at PC @source:1454:0x1454@"), "at PC 0x1454");
  EXPECT_EQ(without_links("50% @ 2 GHz"), "50% @ 2 GHz");
  EXPECT_EQ(without_links("@"), "@");
}

}  // namespace
}  // namespace cgpu::ncu
