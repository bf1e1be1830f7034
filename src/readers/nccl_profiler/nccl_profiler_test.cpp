#include "readers/nccl_profiler/nccl_profiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "readers/test_read.h"

namespace cgpu::nccl_profiler {
namespace {

/// The clock of the plugin, in us; 1 ns matters at its size.
constexpr int64_t kClockUs = 9'270'729'000'000;

std::string at(int64_t us) {
  return std::to_string(kClockUs + us) + ".514";
}
int64_t ns(int64_t us) {
  return (kClockUs + us) * 1000 + 514;
}

std::string event(const std::string& type, int rank, int64_t start, int64_t end, const std::string& address,
                  const std::string& parent, const std::string& details, const std::string& more = "") {
  return R"({"recordType":"event","type":"ncclProfile)" + type + R"(","commId":12464174370433239723,"rank":)" +
         std::to_string(rank) + R"(,"start":{"ts":)" + at(start) + R"(,"pid":7,"tid":8},"stop":{"ts":)" + at(end) +
         R"(,"pid":7,"tid":8},)" + more + R"("parentObj":")" + parent + R"(","eventAddr":")" + address +
         R"(","details":{)" + details + "}}\n";
}

/// Two all-reduces in one group call and one kernel a rank, of 1000 us on the device; rank 1 is launched 100 us later.
std::string rank_of_log(int rank, bool with_kernel) {
  const std::string r = std::to_string(rank);
  const int64_t late = 100 * rank;
  std::string log = R"({"type":"ProfilerLifecycle","func":"ProfilerInit","commId":12464174370433239723,"rank":)" + r +
                    R"(,"start":{"ts":)" + at(0) + R"(},"stop":{"ts":)" + at(0) + R"(},"details":{"nranks":2}})" + "\n";
  for (const std::string call : {"a", "b"}) {
    log += event("CollApi", rank, 10, 11, "api" + r + call, "group", R"("func":"AllReduce","count":1000)");
  }
  log += event("KernelLaunch", rank, 20 + late, 30 + late, "launch" + r, "group", "",
               R"("extCorrId":)" + std::to_string(rank + 1) + ",");
  for (const std::string call : {"a", "b"}) {
    log += event("Coll", rank, 40, 41, "coll" + r + call, "api" + r + call,
                 R"("func":"AllReduce","seq":)" + std::to_string(call == "a" ? 4 : 5) +
                     R"(,"count":1000,"dtype":"ncclFloat32","parentGroup":"plan)" + r + "\"");
  }
  for (const std::string call : {"a", "b"}) {
    log += R"({"recordType":"state","eventAddr":"channel","ts":)" + at(1100) +
           R"(,"name":"KernelChStop","id":22,"pTimer":1700000000001060000})" + "\n";
    log += event("KernelCh", rank, 900, 1100, "channel", "coll" + r + call,
                 R"("channel":)" + std::string(call == "a" ? "0" : "1") + R"(,"pTimer":1700000000000060000)");
  }
  if (with_kernel) {
    log += R"({"recordType":"cuptiActivity","type":"KERNEL","extCorrId":)" + std::to_string(rank + 1) +
           R"(,"deviceId":)" + std::to_string(3 - rank) + R"(,"start":{"ts":)" + at(25 + late) + R"(},"stop":{"ts":)" +
           at(1090) + R"(},"name":"ncclDevKernel_AllReduce"})" + "\n";
  }
  return log;
}

TEST(NcclProfiler, OneKernelOfAGroupIsOneCollectiveOfEachRank) {
  const cgpu::Run run = test::read_text(rank_of_log(0, true) + rank_of_log(1, true), 2, ".jsonl");
  EXPECT_EQ(run.format, "nccl-profiler");
  EXPECT_EQ(test::accounted(run), run.events.read);
  const Timeline& t = run.timeline;
  ASSERT_EQ(t.collectives.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    const Collective& one = t.collectives[i];
    EXPECT_EQ(t.names[one.name], "AllReduce");
    EXPECT_EQ(t.names[one.group], "12464174370433239723");
    EXPECT_EQ(t.names[one.type], "Float32");
    EXPECT_EQ(one.elements_in, 2000);
    EXPECT_EQ(one.group_size, 2);
    EXPECT_EQ(one.sequence, 4);
    EXPECT_EQ(t.device_ops.device[i], 3 - static_cast<int32_t>(i));
    EXPECT_EQ(t.slices.start[one.slice], ns(25 + 100 * static_cast<int64_t>(i)));
    EXPECT_EQ(t.slices.end(one.slice), ns(1090));
  }
  EXPECT_FALSE(run.rank_known);
  const auto channels = std::count_if(t.tracks.begin(), t.tracks.end(),
                                      [](const Track& track) { return track.thread.starts_with("channel "); });
  EXPECT_EQ(channels, 4);
}

TEST(NcclProfiler, WithoutTheKernelItsChannelsSayWhenAndTheDevicesClockHowLong) {
  const cgpu::Run run = test::read_text(rank_of_log(1, false), 2, ".jsonl");
  const Timeline& t = run.timeline;
  ASSERT_EQ(t.collectives.size(), 1U);
  EXPECT_EQ(t.slices.end(t.collectives[0].slice), ns(1100));
  EXPECT_EQ(t.slices.start[t.collectives[0].slice], ns(100));
  EXPECT_TRUE(run.rank_known);
  EXPECT_EQ(run.rank, 1);
  ASSERT_EQ(run.groups.size(), 1U);
  EXPECT_EQ(run.groups[0].size, 2);
}

std::string example(const std::string& phase, const std::string& category, const std::string& name,
                    const std::string& ts, const std::string& arguments = "") {
  return R"({"name": ")" + name + R"(", "cat": ")" + category + R"(", "ph": ")" + phase +
         R"(", "id": 0, "pid": 9, "tid": 1, "ts": )" + ts +
         (arguments.empty() ? "" : R"(, "args": {)" + arguments + "}") + "},\n";
}

TEST(NcclProfiler, TheTraceOfTheExamplePlugin) {
  const auto channel = [](const std::string& number, const std::string& start, const std::string& end) {
    return example("b", "GPU", "KernelCh", start,
                   R"("Channel": )" + number + R"(, "StartGpuClk": 1000000, "StopGpuClk": 1500000)") +
           example("e", "GPU", "KernelCh", end);
  };
  const std::string log =
      "[\n" +
      example("b", "COLL_API", "AllReduce", "100.0", R"("count": 64, "datatype": ncclFloat32, "Stream": 0x26)") +
      example("e", "COLL_API", "AllReduce", "110.0") + example("b", "GROUP", "Group", "120.0", R"("groupId": 0)") +
      example("b", "COLL", "AllReduce", "121.0",
              R"("SeqNum": 3, "CommHash": 77, "Rank": 2, "Count": 64, "Datatype": "ncclFloat32", "nChannels": 2)") +
      channel("0", "700.0", "900.0") + channel("1", "710.0", "1000.0") +
      example("b", "PROXY", "ProgressSend", "130.0", R"("Channel": 0, "Peer": 1)") +
      example("e", "PROXY", "ProgressSend", "990.0") + example("e", "COLL", "AllReduce", "122.0") +
      example("b", "COLL", "Broadcast", "123.0", R"("SeqNum": 4, "CommHash": 77, "Rank": 2)") +
      example("b", "GPU", "KernelCh", "700.0", R"("Channel": 5, "StartGpuClk": 1, "StopGpuClk": 0)") +
      example("e", "GPU", "KernelCh", "0.000000") + example("e", "COLL", "Broadcast", "124.0") +
      example("e", "GROUP", "Group", "125.0") + "{}]\n";
  const cgpu::Run run = test::read_text(log);
  EXPECT_EQ(run.format, "nccl-profiler");
  EXPECT_EQ(test::accounted(run), run.events.read);
  EXPECT_EQ(run.rank, 2);
  const Timeline& t = run.timeline;
  ASSERT_EQ(t.collectives.size(), 1U);  // the other one did not end
  const Collective& one = t.collectives[0];
  EXPECT_EQ(t.slices.end(one.slice), 1'000'000);
  EXPECT_EQ(t.slices.start[one.slice], 500'000);
  EXPECT_EQ(one.elements_in, 64);
  EXPECT_EQ(one.sequence, 3);
  EXPECT_EQ(t.device_ops.device[0], -1);
  EXPECT_EQ(run.notes.count("skipped_event"), 2);
  EXPECT_EQ(run.notes.count("damaged_input"), 0);
}

TEST(NcclProfiler, Damage) {
  const std::string log = rank_of_log(0, true);
  const cgpu::Run run = test::read_text(log + "{\"commId\": oops}\n" + log.substr(0, 150), 2, ".jsonl");
  EXPECT_EQ(run.timeline.collectives.size(), 1U);
  EXPECT_EQ(run.notes.count("damaged_input"), 1);
  EXPECT_EQ(run.notes.count("truncated_input"), 1);
  EXPECT_EQ(test::accounted(run), run.events.read);
  EXPECT_THROW(test::read_text(log.substr(0, log.find('\n') + 1), 2, ".jsonl"), Error);
}

}  // namespace
}  // namespace cgpu::nccl_profiler
