#include "record/collector.h"

#include <gtest/gtest.h>

#include <string>

namespace cgpu {
namespace {

/// A machine with all tools, and none of the devices.
Machine machine() {
  Machine machine;
  for (const char* name : {"nsys", "ncu", "rocprofv3", "msprof", "hpcrun", "hpcprof", "perf", "py-spy"}) {
    machine.programs.emplace(name, std::string("/usr/bin/") + name);
  }
  return machine;
}

std::string chosen(const Machine& machine, const Program& program, const RecordRequest& request = {}) {
  const Job job;
  const ChosenCollector chosen = choose_collector(
      {request, program, machine, job, "/R", "/R/rank00000.1", "/R/.recorder", "/R/.recorder/rank00000.1"});
  return chosen.collector == nullptr ? "" : std::string(chosen.collector->name);
}

TEST(Collector, SuitsTheProgramAndTheDevices) {
  Program torch;
  torch.is_python = torch.imports_torch = true;
  Program python;
  python.is_python = true;
  Machine nvidia = machine();
  nvidia.nvidia = true;
  Machine amd = machine();
  amd.amd = true;
  Machine ascend = machine();
  ascend.ascend = true;
  EXPECT_EQ(chosen(machine(), torch), "torch");
  EXPECT_EQ(chosen(machine(), python), "py-spy");
  EXPECT_EQ(chosen(machine(), Program{}), "hpctoolkit");
  EXPECT_EQ(chosen(nvidia, torch), "torch");
  EXPECT_EQ(chosen(nvidia, Program{}), "nsys");
  EXPECT_EQ(chosen(amd, python), "rocprof");
  // PyTorch's profiler does not see the devices of torch_npu.
  EXPECT_EQ(chosen(ascend, torch), "msprof");
}

TEST(Collector, IsNotChosenForOptionsThatItDoesNotUnderstand) {
  Program torch;
  torch.is_python = torch.imports_torch = true;
  RecordRequest steps;
  steps.steps = 2;
  EXPECT_EQ(chosen(machine(), torch, steps), "torch");
  EXPECT_EQ(chosen(machine(), Program{}, steps), "");
  RecordRequest ranges;
  ranges.ranges = "step";
  Machine nvidia = machine();
  nvidia.nvidia = true;
  EXPECT_EQ(chosen(nvidia, Program{}, ranges), "nsys");
  EXPECT_EQ(chosen(machine(), Program{}, ranges), "");
  RecordRequest kernels;
  kernels.kernels = "gemm";
  EXPECT_EQ(chosen(nvidia, torch, kernels), "ncu");
}

}  // namespace
}  // namespace cgpu
