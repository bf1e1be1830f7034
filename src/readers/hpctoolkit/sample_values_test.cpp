#include "readers/hpctoolkit/sample_values.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace cgpu::hpctoolkit {
namespace {

/// What one sample of a metric with these values stands for, in a tree with these other settings.
std::optional<double> found(const std::string& name, std::vector<double> values,
                            std::vector<double> device_periods = {}) {
  CallTree tree;
  tree.metrics.resize(2);
  tree.metrics[0].name = name;
  tree.metrics[0].value = std::move(values);
  tree.metrics[1].name = "GSAMP:PER";
  tree.metrics[1].value = std::move(device_periods);
  find_sample_values(tree);
  EXPECT_FALSE(tree.metrics[1].sample_value.has_value());
  return tree.metrics[0].sample_value;
}

TEST(HpctoolkitSampleValues, EventsHaveTheirCommonDivisor) {
  EXPECT_EQ(found("perf::instructions", {36e6, 24e6, 12e6}), 12e6);
  EXPECT_EQ(found("PAPI_TOT_CYC", {5000, 15000}), 5000);
  EXPECT_EQ(found("perf::cycles", {36e6, 24e6 + 7}), std::nullopt) << "the period was adapted";
  EXPECT_EQ(found("perf::cycles", {1e6 + 0.5}), std::nullopt);
  EXPECT_EQ(found("perf::cycles", {}), std::nullopt);
  EXPECT_EQ(found("perf::cycles", {0, 0}), std::nullopt);
}

TEST(HpctoolkitSampleValues, WhatIsNoCountOfSamplesHasNone) {
  EXPECT_EQ(found("CPUTIME", {2, 4}, {4096}), std::nullopt);
  EXPECT_EQ(found("GXCOPY:H2D", {8192, 4096}, {4096}), std::nullopt);
}

TEST(HpctoolkitSampleValues, OnDevicesTheDatabaseSaysThePeriod) {
  EXPECT_EQ(found("GINS:STL_GMEM", {8192, 4096 / 3.0}, {4096, 4096}), 4096);
  EXPECT_EQ(found("GINS", {8192}, {4096, 2048}), std::nullopt);
  EXPECT_EQ(found("GINS", {8192}), std::nullopt);
  EXPECT_EQ(found("GINS:LAT", {8192}, {4096}), std::nullopt);
}

}  // namespace
}  // namespace cgpu::hpctoolkit
