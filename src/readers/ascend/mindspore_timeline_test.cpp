#include <gtest/gtest.h>

#include "base/test_file.h"
#include "readers/common/test_slices.h"
#include "readers/reader.h"

namespace cgpu::ascend {
namespace {

using test::names_of;
using Names = std::vector<std::string>;

cgpu::Run read(const std::string& text) {
  const test::TestFile file(text);
  return std::move(open_inputs({file.path()}, {1, "", {}}).runs.front());
}

TEST(MindSporeTimeline, ProcessesAreDevicesAndThreadsStreams) {
  const cgpu::Run run = read(R"([
      {"name": "GetNext", "ph": "X", "tid": "0", "ts": 0.0, "dur": 5.0, "pid": 9000},
      {"name": "Mul-op29", "ph": "X", "tid": "519", "ts": 10.0, "dur": 2.66, "pid": 1,
       "args": {"type": "Mul", "fullname": "Default/network/Mul-op29", "input_0": {"data_type": "NUMBER_TYPE_FLOAT32"}}},
      {"name": "MatMul-op3", "ph": "X", "tid": 520, "ts": 12.0, "dur": 3, "pid": 1, "args": {"fullname": "Default/MatMul-op3"}},
      {"name": "stream_520_parallel_0", "ph": "X", "tid": 520, "ts": 1, "dur": 9, "pid": 10000},
      {"name": "hcom_allReduce__428_0_1", "ph": "X", "tid": 0, "ts": 20, "dur": 4, "pid": 10001},
      {"name": "free_time", "ph": "X", "tid": 8001, "ts": 5, "dur": 5, "pid": 1}])");
  EXPECT_EQ(run.format, "ascend");
  EXPECT_EQ(names_of(run, SliceKind::kernel), (Names{"Mul-op29", "MatMul-op3"}));
  EXPECT_EQ(names_of(run, SliceKind::device_collective), (Names{"hcom_allReduce__428_0_1"}));
  EXPECT_EQ(names_of(run, SliceKind::other), (Names{"GetNext", "stream_520_parallel_0", "free_time"}));
  EXPECT_EQ(run.timeline.device_ops.device, (std::vector<int32_t>{1, 1, 1}));
  EXPECT_EQ(run.timeline.device_ops.stream[0], 519);
  EXPECT_EQ(run.timeline.device_ops.stream[1], 520);
  EXPECT_EQ(run.timeline.slices.duration[run.timeline.device_ops.slice[0]], 2660);
  ASSERT_EQ(run.devices.size(), 1U);
  EXPECT_EQ(run.devices[0].id, 1);
}

}  // namespace
}  // namespace cgpu::ascend
