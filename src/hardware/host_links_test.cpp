#include "hardware/host_links.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

std::string name_of(std::string_view device) {
  const auto link = find_host_link(device);
  return link ? link->name : "";
}

TEST(HostLinks, GenerationOfTheDevice) {
  EXPECT_EQ(name_of("Tesla T4"), "PCIe 3.0 x16");
  EXPECT_EQ(name_of("Tesla V100-SXM2-32GB"), "PCIe 3.0 x16");
  EXPECT_EQ(name_of("NVIDIA A100-SXM4-80GB"), "PCIe 4.0 x16");
  EXPECT_EQ(name_of("NVIDIA A10"), "PCIe 4.0 x16");
  EXPECT_EQ(name_of("NVIDIA L40S"), "PCIe 4.0 x16");
  EXPECT_EQ(name_of("NVIDIA H100 80GB HBM3"), "PCIe 5.0 x16");
  EXPECT_EQ(name_of("NVIDIA GH200 480GB"), "NVLink-C2C");
  EXPECT_EQ(name_of("AMD Instinct MI300X"), "PCIe 5.0 x16");
}

TEST(HostLinks, RatesAreThoseOfTheLanes) {
  EXPECT_NEAR(find_host_link("Tesla T4")->bandwidth, 15.754e9, 1e6);
  EXPECT_NEAR(find_host_link("NVIDIA A100-SXM4-80GB")->bandwidth, 31.508e9, 1e6);
  EXPECT_NEAR(find_host_link("NVIDIA H200")->bandwidth, 63.015e9, 1e6);
  EXPECT_FALSE(find_host_link("NVIDIA H200")->source.empty());
}

TEST(HostLinks, UnknownIsAbsent) {
  EXPECT_FALSE(find_host_link(""));
  EXPECT_FALSE(find_host_link("NVIDIA B200"));  // sources contradict each other
  EXPECT_FALSE(find_host_link("AMD Instinct MI300A"));
  EXPECT_FALSE(find_host_link("AMD Instinct MI250X"));
  EXPECT_FALSE(find_host_link("Ascend910B4"));
}

}  // namespace
}  // namespace cgpu
