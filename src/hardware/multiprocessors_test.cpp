#include "hardware/multiprocessors.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

ResidentBlocks on(std::string_view version, const BlockNeeds& needs) {
  return resident_blocks(*multiprocessor_limits(version), needs);
}

// Of these, "est. achieved occupancy %" of real traces (PyTorch) is the percentage in the comment.
TEST(Multiprocessors, BlocksThatFit) {
  EXPECT_EQ(on("8.0", {1024, 32, 0}).blocks, 2);  // 100 %
  EXPECT_EQ(on("8.0", {1024, 32, 0}).limited_by, "warps");
  EXPECT_EQ(on("8.0", {256, 128, 0}).blocks, 2);  // 25 %
  EXPECT_EQ(on("8.0", {256, 128, 0}).limited_by, "registers");
  EXPECT_EQ(on("9.0", {384, 168, 231424}).blocks, 1);  // 18.75 %, where PyTorch says 0
  EXPECT_EQ(on("9.0", {384, 168, 0}).limited_by, "registers");
  EXPECT_EQ(on("9.0", {128, 32, 100 * 1024}).blocks, 2);
  EXPECT_EQ(on("9.0", {128, 32, 100 * 1024}).limited_by, "shared memory");
  EXPECT_EQ(on("7.5", {32, 16, 0}).blocks, 16);
  EXPECT_EQ(on("7.5", {32, 16, 0}).limited_by, "blocks");
  EXPECT_EQ(on("8.6", {1024, 255, 0}).blocks, 0);  // cannot be launched
}

TEST(Multiprocessors, MoreNeedsNeverMeanMoreBlocks) {
  for (const char* version : {"6.0", "6.1", "7.0", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "12.0"}) {
    const MultiprocessorLimits limits = *multiprocessor_limits(version);
    for (int64_t threads = 1; threads <= 1024; threads += 31) {
      for (int64_t registers = 0; registers <= 255; registers += 17) {
        for (int64_t shared = 0; shared <= limits.shared_bytes; shared += 9000) {
          const int64_t blocks = resident_blocks(limits, {threads, registers, shared}).blocks;
          EXPECT_LE(blocks * warps_of_block(threads), limits.warps);
          EXPECT_LE(blocks * threads * registers, limits.registers);
          EXPECT_LE(blocks * shared, limits.shared_bytes);
          EXPECT_GE(blocks, resident_blocks(limits, {threads + 32, registers, shared}).blocks);
          EXPECT_GE(blocks, resident_blocks(limits, {threads, registers + 8, shared}).blocks);
          EXPECT_GE(blocks, resident_blocks(limits, {threads, registers, shared + 1024}).blocks);
        }
      }
    }
  }
}

TEST(Multiprocessors, OthersAreUnknown) {
  EXPECT_FALSE(multiprocessor_limits(""));
  EXPECT_FALSE(multiprocessor_limits("3.5"));
}

}  // namespace
}  // namespace cgpu
