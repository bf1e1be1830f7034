// Device work that no category names: XLA's processes, converters of Nsight Systems' exports, IBM's AIU, ONNX Runtime.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "readers/test_read.h"

namespace cgpu::device_work {
namespace {

using test::read_text;

std::string process(int pid, const std::string& name) {
  return R"j({"ph":"M","name":"process_name","pid":)j" + std::to_string(pid) + R"j(,"args":{"name":")j" + name + "\"}}";
}
std::string row(int pid, int tid, const std::string& name) {
  return R"j({"ph":"M","name":"thread_name","pid":)j" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) +
         R"j(,"args":{"name":")j" + name + "\"}}";
}
std::string slice(int pid, int tid, const std::string& name, int start, int duration, const std::string& rest = "") {
  return R"j({"ph":"X","pid":)j" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) + R"j(,"name":")j" + name +
         "\",\"ts\":" + std::to_string(start) + ",\"dur\":" + std::to_string(duration) + rest + "}";
}
Run read(const std::vector<std::string>& events) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  for (const std::string& event : events) text += event + ",";
  return read_text(text + "{}]}");
}
/// "name:kind:device:stream" of every device op.
std::vector<std::string> ops_of(const Run& run) {
  std::vector<std::string> all;
  const DeviceOps& ops = run.timeline.device_ops;
  for (size_t i = 0; i < ops.size(); ++i) {
    all.push_back(std::string(run.timeline.name(ops.slice[i])) + ":" + text_of(run.timeline.kind(ops.slice[i])) + ":" +
                  std::to_string(ops.device[i]) + ":" + std::to_string(ops.stream[i]));
  }
  return all;
}
using Ops = std::vector<std::string>;

TEST(DeviceWork, StreamsOfAGpuThatXlaShows) {
  const cgpu::Run run =
      read({process(1, "/device:GPU:1 NVIDIA H100"), process(7, "/host:CPU"), row(1, 4, "Stream #13(Compute)"),
            row(1, 5, "Stream #20(MemcpyH2D)"), row(1, 9, "XLA Modules"),
            slice(1, 4, "fusion_7", 10, 5, R"j(,"args":{"correlation_id":"3","hlo_op":"fusion_7"})j"),
            slice(1, 5, "MemcpyH2D", 12, 2), slice(1, 9, "jit_f", 10, 5),
            slice(7, 8, "cuLaunchKernel", 1, 2, R"j(,"args":{"correlation_id":"3"})j"),
            slice(7, 8, "train", 0, 20, R"j(,"args":{"step_num":"4"})j")});
  EXPECT_EQ(ops_of(run), (Ops{"fusion_7:kernel:1:13", "MemcpyH2D:memcpy:1:20"}));
  EXPECT_EQ(run.timeline.device_ops.copy[1], CopyKind::HtoD);
  EXPECT_EQ(run.timeline.slices.correlation[0], 3);
  EXPECT_EQ(run.timeline.kind(2), SliceKind::device_annotation);
  EXPECT_EQ(run.timeline.kind(3), SliceKind::driver_call);
  EXPECT_EQ(run.timeline.name(4), "ProfilerStep#4");
  ASSERT_EQ(run.devices.size(), 1U);
  EXPECT_EQ(run.devices[0].name, "NVIDIA H100");
  EXPECT_EQ(run.notes.count("no_device_work"), 0);
}

TEST(DeviceWork, OpsOfATpu) {
  const cgpu::Run run = read({process(3, "/device:TPU:0 (pid 3)"), row(3, 1, "Steps"), row(3, 2, "XLA Modules"),
                              row(3, 3, "XLA Ops"), slice(3, 1, "0", 0, 9), slice(3, 2, "jit_f", 0, 9),
                              slice(3, 3, "fusion.1", 1, 3), slice(3, 3, "all-reduce.2", 5, 3)});
  EXPECT_EQ(ops_of(run), (Ops{"fusion.1:kernel:0:3", "all-reduce.2:kernel:0:3"}));
}

TEST(DeviceWork, TensorFlowShowsEveryStreamTwice) {
  const cgpu::Run run =
      read({process(1, "/job:localhost/replica:0/task:0/device:GPU:0 Compute"),
            process(2, "/device:GPU:0/stream:all Compute"), process(3, "/device:GPU:0/stream:13 Compute"),
            slice(1, 0, "MatMul", 0, 9, ",\"cat\":\"Op\""), slice(2, 0, "sgemm", 3, 4, ",\"cat\":\"Op\""),
            slice(3, 0, "sgemm", 3, 4, ",\"cat\":\"Op\"")});
  EXPECT_EQ(ops_of(run), (Ops{"sgemm:kernel:0:0"}));
  EXPECT_EQ(run.timeline.kind(0), SliceKind::annotation);
}

std::string of_device(const std::string& row, const std::string& category, const std::string& name, int start,
                      int duration) {
  return R"j({"ph":"X","pid":"Device 2","tid":")j" + row + R"j(","cat":")j" + category + R"j(","name":")j" + name +
         "\",\"ts\":" + std::to_string(start) + ",\"dur\":" + std::to_string(duration) + ",\"args\":{}}";
}

TEST(DeviceWork, DevicesAsProcessesOfConvertedExports) {
  const cgpu::Run run =
      read({of_device("Stream 7", "cuda", "gemm", 10, 5), of_device("Stream 8", "", "Memcpy HtoD", 12, 2),
            of_device("CUDA API 9", "cuda", "relu", 20, 1), of_device("NVTX Thread 4", "nvtx", "step", 1, 9),
            of_device("NVTX Kernel Thread 4", "nvtx-kernel", "step", 10, 11),
            of_device("CUDA API Thread 4", "cuda_api", "cudaLaunchKernel", 2, 3),
            slice(1, 1, "load", 1, 9, ",\"cat\":\"cuda\"")});
  EXPECT_EQ(ops_of(run), (Ops{"gemm:kernel:2:7", "Memcpy HtoD:memcpy:2:8", "relu:kernel:2:-1"}));
  EXPECT_EQ(run.timeline.device_ops.copy[1], CopyKind::HtoD);
  EXPECT_EQ(run.timeline.kind(3), SliceKind::annotation);
  EXPECT_EQ(run.timeline.kind(4), SliceKind::device_annotation);
  EXPECT_EQ(run.timeline.kind(5), SliceKind::runtime_call);
  EXPECT_EQ(run.timeline.kind(6), SliceKind::annotation) << "not in a process of a device";
  EXPECT_EQ(run.notes.count("no_device_work"), 0);
}

TEST(DeviceWork, RangesBesideKernelsThatTheirCategorySays) {
  const cgpu::Run run =
      read({of_device("Stream 7", "kernel", "gemm", 10, 5), of_device("NVTX Thread 4", "nvtx", "step", 1, 9)});
  EXPECT_EQ(ops_of(run), (Ops{"gemm:kernel:2:7"}));
  EXPECT_EQ(run.timeline.kind(1), SliceKind::annotation);
}

TEST(DeviceWork, CardsOfTheAiu) {
  const auto pair = [](int pid, const std::string& tid, const std::string& name, int begin, int end) {
    const auto half = [&](const char* phase, int time) {
      return R"j({"attr":{"Power":"1"},"name":")j" + name + R"j(","ph":")j" + phase +
             "\",\"pid\":" + std::to_string(pid) + ",\"tid\":" + tid + ",\"ts\":" + std::to_string(time) + "}";
    };
    return half("B", begin) + "," + half("E", end);
  };
  const cgpu::Run run =
      read({pair(0, "155", "add_11 Cmpt Prep", 0, 4), pair(0, "200", "add_11 Cmpt Exec", 4, 9),
            pair(1, "300", "SenRdmaSend_8 [sync=AllReduce_4] DmaO", 4, 9), pair(1, "400", "x DmaI", 4, 9)});
  EXPECT_EQ(ops_of(run), (Ops{"add_11 Cmpt Exec:kernel:0:0",
                              "SenRdmaSend_8 [sync=AllReduce_4] DmaO:device_collective:1:0", "x DmaI:memcpy:1:1"}));
}

TEST(DeviceWork, SessionsOfOnnxRuntime) {
  const cgpu::Run run = read({slice(7, 7, "session_initialization", 0, 5, ",\"cat\":\"Session\""),
                              slice(7, 7, "model_run", 10, 20, ",\"cat\":\"Session\""),
                              slice(7, 7, "conv1_kernel_time", 12, 5, ",\"cat\":\"Node\""),
                              slice(-1, -1, "cudnn", 13, 4, R"j(,"cat":"Kernel","args":{"stream":"7"})j")});
  EXPECT_EQ(run.timeline.kind(1), SliceKind::annotation);
  EXPECT_EQ(run.timeline.kind(2), SliceKind::framework_op);
  EXPECT_EQ(ops_of(run), (Ops{"cudnn:kernel:-1:7"}));
}

TEST(DeviceWork, StreamsOfProtonAreDocumentsOfTheirOwn) {
  std::string text;
  for (int stream = 0; stream < 3; ++stream) {
    text += R"j({"displayTimeUnit":"us","traceEvents":[)j";
    for (int i = 0; i < 3000; ++i) {
      text += (i > 0 ? "," : "") +
              (R"j({"args":{"call_stack":["ROOT","f"]},"cat":"kernel","dur":1.5,"name":"f","ph":"X","tid":)j" +
               std::to_string(stream) + ",\"ts\":" + std::to_string(10 * i) + "}");
    }
    text += "]}\n";
  }
  const cgpu::Run run = read_text(text);
  EXPECT_EQ(run.timeline.device_ops.size(), 9000U);
  EXPECT_EQ(run.timeline.device_ops.stream[8999], 2);
  EXPECT_EQ(run.timeline.slices.duration[8999], 1500);
  EXPECT_EQ(run.notes.count("trailing_data"), 0);
  const auto arguments = run.arguments->arguments(run.timeline.slices.source[8999]);
  ASSERT_EQ(arguments.size(), 1U);
  EXPECT_EQ(arguments[0].key, "call_stack");
}

TEST(DeviceWork, InstructionsOfProtonHaveARowForEachWarpAndAreNoOps) {
  std::string text;
  for (int kernel = 0; kernel < 2; ++kernel) {
    text += R"j({"displayTimeUnit":"ns","traceEvents":[)j";
    for (int warp = 0; warp < 2; ++warp) {
      text += (warp > 0 ? "," : "") +
              (R"j({"args":{"Frequency (MHz)":1000.0},"cat":"add","cname":"x","dur":0.048,"name":"load","ph":"X",)j"
               R"j("pid":"add Core4 CTA)j" +
               std::to_string(kernel) + R"j(","tid":"warp )j" + std::to_string(warp) + R"j( (line 0)","ts":0.5})j");
    }
    text += "]}\n";
  }
  const cgpu::Run run = read_text(text);
  EXPECT_EQ(run.timeline.device_ops.size(), 0U);
  ASSERT_EQ(run.timeline.tracks.size(), 4U);
  EXPECT_EQ(run.timeline.tracks[3].process, "add Core4 CTA1");
  EXPECT_EQ(run.timeline.tracks[3].thread, "warp 1 (line 0)");
  EXPECT_EQ(run.timeline.slices.duration[3], 48);
  EXPECT_EQ(run.notes.count("trailing_data"), 0);
}

TEST(DeviceWork, CallsOfRpd2tracingLaunchWhatTheirArrowsLeadTo) {
  const auto call = [](const std::string& name, const std::string& start, const std::string& duration) {
    return R"j({"pid":"7","tid":"8","name":")j" + name + R"j(","ts":")j" + start + R"j(","dur":")j" + duration +
           R"j(","ph":"X","args":{"desc":""}})j";
  };
  const auto op = [](const std::string& name, const std::string& start) {
    return R"j({"pid":"2","tid":"0","name":")j" + name + R"j(","ts":")j" + start +
           R"j(","dur":"5.5","ph":"X","args":{"desc":"KernelExecution"}})j";
  };
  const auto arrow = [](const std::string& id, const std::string& from, const std::string& to) {
    const std::string both = R"j("cat":"api_op","name":"api_op","id":")j" + id + "\"";
    return "{\"pid\":\"7\",\"tid\":\"8\"," + both + ",\"ts\":\"" + from +
           "\",\"ph\":\"s\"},{\"pid\":\"2\",\"tid\":\"0\"," + both + ",\"ts\":\"" + to +
           "\",\"ph\":\"f\",\"bp\":\"e\"}";
  };
  // The second call is shorter than the 2 us before its end at which its arrow begins.
  const cgpu::Run run = read_text("[ {}\n," + process(2, "GPU2") + "\n," + row(7, 8, "Hip 8") + "\n," +
                                  op("k1", "30.0") + "," + op("CopyHostToDevice", "40.0") + "," +
                                  op("FillBuffer", "60.0") + "," + call("hipLaunchKernel", "10.0", "4.0") + "," +
                                  call("hipMemcpyAsync", "15.0", "1.0") + "," + call("step", "9.0", "40.0") + "," +
                                  arrow("1", "12.0", "30.0") + "," + arrow("2", "14.0", "40.0") + "]");
  EXPECT_EQ(ops_of(run), (Ops{"k1:kernel:2:0", "CopyHostToDevice:memcpy:2:0", "FillBuffer:memset:2:0"}));
  const auto& correlation = run.timeline.slices.correlation;
  EXPECT_EQ(correlation[0], correlation[3]);
  EXPECT_EQ(correlation[1], correlation[4]);
  EXPECT_NE(correlation[0], correlation[1]);
  EXPECT_EQ(correlation[2], kNoCorrelation);
  EXPECT_EQ(run.timeline.kind(3), SliceKind::runtime_call);
  EXPECT_EQ(run.timeline.kind(5), SliceKind::annotation);
  EXPECT_TRUE(run.timeline.links.empty());
}

TEST(DeviceWork, OtherTracesWithSuchCategoriesStayAsTheyAre) {
  const cgpu::Run run =
      read({slice(7, 7, "get /", 0, 5, ",\"cat\":\"Session\""), slice(7, 7, "a", 1, 2, ",\"cat\":\"Node\"")});
  EXPECT_EQ(run.timeline.kind(1), SliceKind::annotation);
  EXPECT_EQ(ops_of(run), Ops{});
  EXPECT_EQ(run.notes.count("no_device_work"), 1);
}

}  // namespace
}  // namespace cgpu::device_work
