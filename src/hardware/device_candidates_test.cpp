#include "hardware/device_candidates.h"

#include <gtest/gtest.h>

#include "hardware/attainable_rates.h"

namespace cgpu {
namespace {

std::vector<std::string> names_of(const DeviceCandidates& candidates) {
  std::vector<std::string> names;
  for (const DevicePeaks& device : candidates.devices()) names.push_back(device.name);
  return names;
}

TEST(DeviceCandidates, NothingSaidLeavesAllDevices) {
  DeviceCandidates candidates;
  candidates.add_kernel("my_kernel");
  EXPECT_EQ(candidates.devices().size(), known_devices().size());
  EXPECT_EQ(candidates.evidence(), "");
}

TEST(DeviceCandidates, NamesOfKernelsSayTheArchitecture) {
  const std::vector<std::string> cdna3 = {"AMD Instinct MI300A", "AMD Instinct MI300X", "AMD Instinct MI325X"};
  for (const char* name : {"Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_LDW0_ISA942_IU1", "mlp_gfx942_kernel"}) {
    DeviceCandidates candidates;
    candidates.add_kernel("Cijk_Ailk_Bljk");
    candidates.add_kernel(name);
    EXPECT_EQ(names_of(candidates), cdna3) << name;
    EXPECT_EQ(candidates.evidence(), "gfx942");
    candidates.add_multiprocessors(228);
    EXPECT_EQ(names_of(candidates), std::vector<std::string>({"AMD Instinct MI300A"}));
  }
  DeviceCandidates aiter;
  aiter.add_kernel("aiter_fused_moe_kernel_bf16");
  EXPECT_EQ(aiter.devices().size(), 4U);
}

TEST(DeviceCandidates, CodeForOlderArchitecturesOfNvidiaRunsOnLaterOnes) {
  DeviceCandidates candidates;
  candidates.add_kernel("ampere_bf16_s16816gemm");
  candidates.add_kernel("sm90_xmma_gemm_bf16");
  candidates.add_kernel("sm80_xmma_gemm_bf16");
  for (const DevicePeaks& device : candidates.devices()) {
    EXPECT_TRUE(device.architecture == "sm_90" || device.architecture == "sm_100") << device.name;
  }
  EXPECT_EQ(candidates.evidence(), "sm_90 or later");
  candidates.add_compute_capability("10.0");
  EXPECT_EQ(names_of(candidates), std::vector<std::string>({"NVIDIA B200", "NVIDIA GB200"}));
}

TEST(DeviceCandidates, NamesThatContradictEachOtherSayNothingMore) {
  DeviceCandidates candidates;
  candidates.add_kernel("x_gfx942_y");
  candidates.add_kernel("nvjet_tst_128x256");
  EXPECT_EQ(candidates.devices().size(), 3U);
}

TEST(AttainableRates, AreMeasuredOrAShareOfThePeak) {
  const AttainableRates mi300x = attainable_rates(*find_device_peaks("AMD Instinct MI300X"));
  EXPECT_DOUBLE_EQ(*mi300x.flops_of("bf16"), 668.4e12);
  EXPECT_DOUBLE_EQ(*mi300x.flops_of("fp16"), 668.4e12);  // whose peak is the same
  EXPECT_DOUBLE_EQ(*mi300x.flops_of("fp32"), 0.7 * 163.4e12);
  EXPECT_DOUBLE_EQ(*mi300x.memory, 0.8 * 5.3e12);
  const AttainableRates v100 = attainable_rates(*find_device_peaks("Tesla V100-SXM2-32GB"));
  EXPECT_DOUBLE_EQ(*v100.flops_of("fp16"), 0.7 * 125e12);
  EXPECT_FALSE(v100.flops_of("bf16"));
}

TEST(AttainableRates, OfSeveralDevicesTheLeast) {
  const AttainableRates least =
      least_attainable_rates({*find_device_peaks("Tesla T4"), *find_device_peaks("NVIDIA H100 80GB HBM3")});
  EXPECT_DOUBLE_EQ(*least.memory, 0.8 * 320e9);
  EXPECT_DOUBLE_EQ(*least.flops_of("fp16"), 0.7 * 65e12);
  EXPECT_DOUBLE_EQ(*least.flops_of("bf16"), 794.5e12);
  EXPECT_EQ(least.multiprocessors, 40);
}

TEST(DeviceModels, AreFoundByTheirWords) {
  const auto only = [](std::string_view model) {
    const auto found = find_device_models(model);
    return found.size() == 1 ? found.front().name : std::to_string(found.size());
  };
  EXPECT_EQ(only("MI300X"), "AMD Instinct MI300X");
  EXPECT_EQ(only("h100 sxm"), "NVIDIA H100 SXM");
  EXPECT_EQ(only("NVIDIA H100 80GB HBM3"), "NVIDIA H100 SXM");
  EXPECT_EQ(only("A100"), "NVIDIA A100");  // by this name profiles know it
  EXPECT_EQ(only("H100"), "3");
  EXPECT_EQ(only("Banana"), "0");
}

}  // namespace
}  // namespace cgpu
