#include "hardware/stated_peaks.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace cgpu {
namespace {

TEST(StatedPeaks, AreReadWithTheirUnits) {
  const StatedPeaks peaks =
      parse_stated_peaks("bf16=400TFLOP/s,memory=2TB/s,link=450GB/s,fp32=5e13,int8=1.5 POP/s", "--peak");
  EXPECT_EQ(peaks,
            (StatedPeaks{{"bf16", 400e12}, {"memory", 2e12}, {"link", 450e9}, {"fp32", 5e13}, {"int8", 1.5e15}}));
}

TEST(StatedPeaks, WhatIsNoRateIsRefused) {
  for (const char* text : {"", "bf16", "bf16=", "bf16=fast", "bf16=-1TFLOP/s", "bf16=0", "bf16=2TB/s", "link=2TFLOP/s",
                           "memory=2TFLOP/s", "bf17=1TFLOP/s", "bf16=1XFLOP/s", "bf16=1T,", "bf16=nan", "bf16=1e300"}) {
    EXPECT_THROW(parse_stated_peaks(text, "--peak"), Error) << text;
  }
}

TEST(StatedPeaks, StandInPlaceOfWhatIsKnown) {
  EXPECT_FALSE(find_device_peaks("Some NPU", StatedPeaks{}));
  const auto unknown = find_device_peaks("Some NPU", {{"memory", 2e12}});
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->memory_bandwidth, 2e12);
  EXPECT_TRUE(unknown->flops.empty());
  EXPECT_EQ(unknown->source, "stated by the user: memory");
  EXPECT_EQ(find_device_peaks("NVIDIA H100 80GB HBM3", {{"link", 2e11}})->link_bandwidth, 2e11);
  const auto known = find_device_peaks("NVIDIA H100 80GB HBM3", {{"bf16", 7e14}});
  ASSERT_TRUE(known);
  EXPECT_EQ(known->memory_bandwidth, find_device_peaks("NVIDIA H100 80GB HBM3")->memory_bandwidth);
  for (const PeakRate& peak : known->flops) {
    if (peak.type == "bf16") {
      EXPECT_EQ(peak.flops, 7e14);
    }
  }
  EXPECT_EQ(known->source.find("stated by the user: bf16; the rest: "), 0U);
}

}  // namespace
}  // namespace cgpu
