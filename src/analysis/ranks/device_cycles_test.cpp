// Whole iterations of a device, by the marks of the host that launches them.
#include "analysis/ranks/device_cycles.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

TEST(DeviceCycles, OfAHostThatRunsAheadOfItsDevice) {
  TestRun run;
  for (int64_t step = 0; step < 3; ++step) {
    run.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(step), 10 * step, 10);
    const SliceIndex call = run.host(kCall, "cudaLaunchKernel", 10 * step + 2, 3);
    run.kernel("gemm", 100 + 50 * step, 40, launched_by(call));
  }
  Session session;
  session.runs.push_back(std::move(run.run));
  const SessionFacts facts(session);
  const std::vector<DeviceCycles> cycles = device_cycles({facts, 0, 0});
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_EQ(cycles[0].cycles, 2);
  EXPECT_EQ(cycles[0].time, (Interval{100, 200}));
  EXPECT_EQ(cycles[0].owned_ns[static_cast<size_t>(TimeOwner::compute)], 80);
}

}  // namespace
}  // namespace cgpu
