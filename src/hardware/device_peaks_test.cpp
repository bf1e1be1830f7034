#include "hardware/device_peaks.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

double rate(std::string_view device, std::string_view type) {
  const auto peaks = find_device_peaks(device);
  if (!peaks) return -1;
  for (const PeakRate& peak : peaks->flops) {
    if (peak.type == type) return peak.flops / 1e12;
  }
  return 0;
}

double bandwidth(std::string_view device) {
  const auto peaks = find_device_peaks(device);
  return peaks && peaks->memory_bandwidth ? *peaks->memory_bandwidth / 1e9 : 0;
}

TEST(DevicePeaks, FormsOfOneModelAreToldApart) {
  EXPECT_EQ(rate("NVIDIA H100 80GB HBM3", "bf16"), 989.4);
  EXPECT_EQ(rate("NVIDIA H100 PCIe", "bf16"), 756);
  EXPECT_EQ(rate("NVIDIA H100 NVL", "bf16"), 835.5);
  EXPECT_EQ(bandwidth("NVIDIA A100-SXM4-40GB"), 1555);
  EXPECT_EQ(bandwidth("NVIDIA A100-SXM4-80GB"), 2039);
  EXPECT_EQ(bandwidth("NVIDIA A100 80GB PCIe"), 1935);
  EXPECT_EQ(rate("Tesla V100-SXM2-32GB", "fp16"), 125);
  EXPECT_EQ(rate("Tesla V100-PCIE-16GB", "fp16"), 112);
  EXPECT_EQ(rate("NVIDIA B200", "fp8"), 4500);
  EXPECT_EQ(rate("NVIDIA GB200", "fp8"), 5000);
  EXPECT_EQ(rate("NVIDIA L40", "bf16"), 181);
  EXPECT_EQ(rate("NVIDIA L40S", "bf16"), 362);
  EXPECT_EQ(rate("AMD Instinct MI300X VF", "fp8"), 2614.9);
  EXPECT_EQ(rate("AMD Instinct MI250X", "fp16"), 191.5);
  EXPECT_EQ(rate("Ascend910B4", "fp16"), 245.8);
}

TEST(DevicePeaks, LinksToOtherDevicesOfTheMachine) {
  const auto link = [](std::string_view device) { return find_device_peaks(device)->link_bandwidth.value_or(0) / 1e9; };
  EXPECT_EQ(link("Tesla V100-SXM2-32GB"), 150);
  EXPECT_EQ(link("NVIDIA A100-SXM4-40GB"), 300);
  EXPECT_EQ(link("NVIDIA H100 80GB HBM3"), 450);
  EXPECT_EQ(link("NVIDIA B200"), 900);
  EXPECT_EQ(link("AMD Instinct MI300X"), 448);
  EXPECT_EQ(link("NVIDIA H100 PCIe"), 0);
  EXPECT_EQ(link("NVIDIA A800-SXM4-80GB"), 0);  // as the A100, but for its links
  EXPECT_EQ(rate("NVIDIA A800-SXM4-80GB", "bf16"), 312);
}

TEST(DevicePeaks, WhatWasMeasuredIsBelowThePeak) {
  for (const char* device : {"NVIDIA A100-SXM4-80GB", "NVIDIA A100 80GB PCIe", "NVIDIA H100 80GB HBM3", "NVIDIA H200",
                             "NVIDIA GH200 480GB", "NVIDIA B200", "NVIDIA GB200", "AMD Instinct MI300X"}) {
    const auto peaks = find_device_peaks(device);
    ASSERT_FALSE(peaks->achievable.empty()) << device;
    for (const PeakRate& measured : peaks->achievable) {
      EXPECT_LT(measured.flops / 1e12, rate(device, measured.type)) << device << " " << measured.type;
      EXPECT_GT(measured.flops / 1e12, 0.5 * rate(device, measured.type)) << device << " " << measured.type;
    }
  }
  EXPECT_TRUE(find_device_peaks("Tesla V100-SXM2-32GB")->achievable.empty());
}

TEST(DevicePeaks, SpellingDoesNotMatter) {
  for (const char* name : {"NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB", "nvidia a100 sxm4_80gb", " A100  SXM4 80GB "}) {
    EXPECT_EQ(find_device_peaks(name)->name, "NVIDIA A100 SXM 80 GB") << name;
  }
  EXPECT_EQ(find_device_peaks("NVIDIA T4")->name, find_device_peaks("Tesla T4")->name);
}

// Compute is the same for every A100, the memory is not, and this name does not tell it.
TEST(DevicePeaks, GivesOnlyWhatTheNameTells) {
  const auto peaks = find_device_peaks("NVIDIA A100-PG509-200");
  ASSERT_TRUE(peaks);
  EXPECT_FALSE(peaks->memory_bandwidth);
  EXPECT_EQ(rate("NVIDIA A100-PG509-200", "bf16"), 312);
  EXPECT_EQ(rate("Tesla V100-DGXS-32GB", "fp16"), 125);
  EXPECT_EQ(bandwidth("Tesla V100-DGXS-32GB"), 0);
}

TEST(DevicePeaks, UnknownNamesHaveNone) {
  for (const char* name : {"", "NVIDIA", "NVIDIA H100", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA A10G",
                           "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 3080", "AMD Radeon Graphics",
                           "AMD Instinct MI250X / MI250", "Ascend910B", "V100", "H100 80GB HBM2e"}) {
    EXPECT_FALSE(find_device_peaks(name)) << name;
  }
}

TEST(DevicePeaks, EveryEntryNamesItsSource) {
  for (const char* name :
       {"Tesla P100-PCIE-16GB", "Quadro GP100", "NVIDIA GeForce RTX 2080 Ti", "NVIDIA H200", "AMD Instinct MI210"}) {
    const auto peaks = find_device_peaks(name);
    ASSERT_TRUE(peaks) << name;
    EXPECT_FALSE(peaks->source.empty());
    EXPECT_FALSE(peaks->flops.empty());
  }
}

// Independent of the published rates: what drivers report, read from real profiles. Bandwidth is the memory clock times
// the bus width; the fp32 rate is multiprocessors x lanes x 2 x clock.
TEST(DevicePeaks, AgreeWithWhatDriversReport) {
  struct Reported {
    const char* name;
    double memory_bandwidth;
    int multiprocessors;
    int lanes;
    double clock;
  };
  constexpr Reported kReported[] = {
      {"NVIDIA GeForce RTX 4090", 1008.096e9, 128, 128, 2.52e9}, {"NVIDIA A100-SXM4-80GB", 2039.04e9, 108, 64, 1.41e9},
      {"NVIDIA A100-SXM4-40GB", 1555.2e9, 108, 64, 1.41e9},      {"Tesla T4", 320.064e9, 40, 64, 1.59e9},
      {"NVIDIA H100 80GB HBM3", 3352.32e9, 132, 128, 1.98e9},    {"NVIDIA H200", 4916.736e9, 132, 128, 1.98e9},
  };
  for (const Reported& reported : kReported) {
    EXPECT_NEAR(bandwidth(reported.name) * 1e9 / reported.memory_bandwidth, 1, 0.03) << reported.name;
    const double fp32 = reported.multiprocessors * reported.lanes * 2 * reported.clock;
    EXPECT_NEAR(rate(reported.name, "fp32") * 1e12 / fp32, 1, 0.01) << reported.name;
  }
}

}  // namespace
}  // namespace cgpu
