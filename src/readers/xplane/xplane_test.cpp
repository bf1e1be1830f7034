#include "readers/xplane/xplane.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu::xplane {
namespace {

// ---- a writer of messages

std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string field(uint32_t number, uint64_t value) {
  return varint(number << 3) + varint(value);
}
std::string field(uint32_t number, const std::string& value) {
  return varint(number << 3 | 2) + varint(value.size()) + value;
}

std::string named(uint32_t kind, uint64_t id, const std::string& name) {
  return field(kind, field(1, id) + field(2, field(1, id) + field(2, name)));
}
std::string event(uint64_t name, uint64_t offset, uint64_t duration, const std::string& stats = "") {
  return field(4, field(1, name) + field(2, offset) + field(3, duration) + stats);
}
std::string correlation(uint64_t id) {
  return field(4, field(1, 1) + field(3, id));
}
std::string line(uint64_t id, const std::string& name, uint64_t time, const std::string& events) {
  return field(3, field(1, id) + field(2, name) + field(3, time) + events);
}
std::string plane(const std::string& name, const std::string& rest) {
  return field(1, field(2, name) + rest);
}

std::string device(uint64_t base = 1000) {
  return plane("/device:GPU:3", line(16, "Stream #16(Kernel)", base,
                                     event(1, 2500, 4001, correlation(7)) +
                                         event(2, 9500, 1000, correlation(8) + field(4, field(1, 2) + field(7, 3)))) +
                                    line(1, "XLA Modules", base, event(1, 0, 9000)) + named(4, 1, "gemm.kd") +
                                    named(4, 2, "MemcpyH2D") + named(5, 1, "correlation_id") +
                                    named(5, 2, "memcpy_details") +
                                    named(5, 3, "kind_src:pinned kind_dst:device size:64 dest:0") +
                                    named(5, 4, "core_count") + field(6, field(1, 4) + field(3, 304)));
}
std::string host() {
  return plane("/host:CPU",
               line(99, "python", 1000,
                    event(1, 0, 20000) + event(2, 1000, 500, correlation(7)) + event(3, 3000, 0) +
                        event(4, 4000, 0,
                              field(4, field(1, 2) + field(4, 256)) + field(4, field(1, 3) + field(4, 512)) +
                                  field(4, field(1, 4) + field(5, "GPU_3_bfc")))) +
                   named(4, 1, "$main.py:1 f") + named(4, 2, "hipLaunchKernel") + named(4, 3, "Mark") +
                   named(4, 4, "MemoryAllocation") + named(5, 1, "correlation_id") + named(5, 2, "allocation_bytes") +
                   named(5, 3, "bytes_allocated") + named(5, 4, "allocator_name"));
}
std::string task() {
  return plane("Task Environment",
               named(5, 1, "profile_start_time") + field(6, field(1, 1) + field(3, 1'700'000'000'000'000'000)));
}
std::string whole() {
  return host() + device() + task() + field(4, std::string("node"));
}

Run read(const std::string& bytes) {
  const test::TestFile file(bytes, ".pb");
  return std::move(open_inputs({file.path()}, {}).runs.front());
}
TEST(XPlane, StreamsAndThreads) {
  const auto run = read(whole());
  EXPECT_EQ(run.format, "xplane");
  EXPECT_EQ(run.host, "node");
  EXPECT_TRUE(run.clock_is_unix);
  EXPECT_EQ(run.clock_base, 1'700'000'000'000'000'000);
  ASSERT_EQ(run.devices.size(), 1u);
  EXPECT_EQ(run.devices[0].id, 3);
  EXPECT_EQ(run.devices[0].sm_count, 304);
  const Timeline& timeline = run.timeline;
  ASSERT_EQ(timeline.device_ops.size(), 2u);
  const SliceIndex gemm = timeline.device_ops.slice[0];
  EXPECT_EQ(timeline.name(gemm), "gemm");
  EXPECT_EQ(timeline.slices.start[gemm], 1002);  // 1002.5 ns, half to even
  EXPECT_EQ(timeline.slices.end(gemm), 1007);    // 1006.501 ns
  const SliceIndex copy = timeline.device_ops.slice[1];
  EXPECT_EQ(timeline.slices.start[copy], 1010);  // 1009.5 ns
  EXPECT_EQ(timeline.slices.duration[copy], 0);  // 1010.5 ns
  EXPECT_EQ(timeline.device_ops.device[1], 3);
  EXPECT_EQ(timeline.device_ops.stream[1], 16);
  EXPECT_EQ(timeline.device_ops.copy[1], CopyKind::HtoD);
  EXPECT_EQ(timeline.device_ops.source[1], MemoryKind::pinned);
  EXPECT_EQ(timeline.device_ops.bytes[1], 64);
  EXPECT_EQ(run.events.instants, 1);
  ASSERT_EQ(timeline.memory.size(), 1u);
  EXPECT_EQ(timeline.memory[0].bytes, 256);
  EXPECT_EQ(timeline.memory[0].total_allocated, 512);
  EXPECT_EQ(timeline.memory[0].device, 3);
  EXPECT_EQ(run.events.read, test::accounted(run));

  // What joins the kernel with its launch.
  EXPECT_EQ(timeline.slices.correlation[gemm], 7);
  EXPECT_EQ(timeline.slices.correlation[1], 7);
  EXPECT_EQ(timeline.kind(1), SliceKind::runtime_call);
  EXPECT_EQ(timeline.kind(0), SliceKind::python_function);
  EXPECT_EQ(timeline.name(0), "main.py:1 f");
}

/// As JAX 0.11 writes them on NVIDIA's devices.
TEST(XPlane, LaunchesCalledAsTheirKernelsAndStepsOfTheProgram) {
  const auto number = [](uint64_t key, uint64_t value) { return field(4, field(1, key) + field(4, value)); };
  const std::string bytes =
      plane("/host:CPU",
            line(99, "python", 1000,
                 event(1, 0, 20000, number(3, 12)) +
                     event(2, 1000, 500, correlation(7) + field(4, field(1, 2) + field(5, std::string("$$1")))) +
                     event(3, 1000, 9000, number(4, 5))) +
                named(4, 1, "train") + named(4, 2, "gemm") + named(4, 3, "Execute") + named(5, 1, "correlation_id") +
                named(5, 2, "context_id") + named(5, 3, "step_num") + named(5, 4, "run_id")) +
      plane("/device:GPU:0", line(16, "Stream #16(Compute)", 1000, event(1, 2500, 4001, correlation(7))) +
                                 named(4, 1, "gemm") + named(5, 1, "correlation_id") + named(5, 2, "gpu_device_name") +
                                 field(6, field(1, 2) + field(5, std::string("NVIDIA H100"))));
  const auto run = read(bytes);
  const Timeline& timeline = run.timeline;
  ASSERT_EQ(timeline.slices.size(), 4u);
  EXPECT_EQ(timeline.name(0), "ProfilerStep#12");
  EXPECT_EQ(timeline.categories[timeline.slices.category[0]].name, "train");
  EXPECT_EQ(timeline.kind(0), SliceKind::annotation);
  const SliceIndex op = timeline.device_ops.slice[0];
  const auto calls = [&] {
    std::vector<SliceIndex> found;
    for (SliceIndex i = 0; i < timeline.slices.size(); ++i) {
      if (timeline.kind(i) == SliceKind::driver_call) found.push_back(i);
    }
    return found;
  }();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(timeline.slices.correlation[calls[0]], timeline.slices.correlation[op]);
  ASSERT_EQ(run.devices.size(), 1u);
  EXPECT_EQ(run.devices[0].name, "NVIDIA H100");
}

TEST(XPlane, OlderProfilesCountFrom1970) {
  const auto run = read(device(1'600'000'000'000'000'000));
  EXPECT_TRUE(run.clock_is_unix);
  EXPECT_EQ(run.clock_base, 0);
}

TEST(XPlane, AcceleratorsWithoutStreams) {
  const auto run = read(plane("/device:TPU:1", line(2, "XLA Ops", 10, event(1, 0, 5000)) +
                                                   line(3, "Steps", 10, event(1, 0, 9000)) + named(4, 1, "fusion")));
  ASSERT_EQ(run.timeline.device_ops.size(), 1u);
  EXPECT_EQ(run.timeline.device_ops.device[0], 1);
  EXPECT_EQ(run.timeline.slices.size(), 2u);
}

TEST(XPlane, WhatHasNoTimeIsLeftOut) {
  const auto run = read(plane("/host:CPU", line(1, "t", UINT64_MAX, event(1, 5, 5)) +
                                               line(2, "t", 1, field(4, field(1, 1) + field(5, 3))) +
                                               line(3, "t", INT64_MAX, event(9, INT64_MAX, INT64_MAX)) +
                                               line(4, "t", 1, event(9, 0, 5000)) + named(4, 1, "a")));
  EXPECT_EQ(run.events.skipped, 3);
  EXPECT_EQ(run.notes.count("skipped_event"), 1);
  EXPECT_EQ(run.notes.count("unnamed_event"), 1);
  EXPECT_EQ(run.timeline.slices.size(), 1u);
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(XPlane, CutAnywhere) {
  const std::string bytes = whole();
  int read_some = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    try {
      const auto run = read(bytes.substr(0, size));
      EXPECT_EQ(run.events.read, test::accounted(run));
      ++read_some;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read_some, 300);
  EXPECT_GT(read(bytes.substr(0, host().size() + 40)).notes.count("truncated_input"), 0);
}

TEST(XPlane, EveryByteAtItsLimits) {
  const std::string bytes = whole();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const char byte : {'\0', '\xff', '\x7f'}) {
      std::string damaged = bytes;
      damaged[at] = byte;
      try {
        const auto run = read(damaged);
        EXPECT_EQ(run.events.read, test::accounted(run));
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace cgpu::xplane
