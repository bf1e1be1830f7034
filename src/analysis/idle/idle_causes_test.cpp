#include "analysis/idle/idle_causes.h"

#include <gtest/gtest.h>

#include <string>

namespace cgpu {
namespace {

std::string cause(SliceKind kind, const char* name) {
  const std::optional<IdleCause> named = cause_named_by(kind, name);
  return named ? std::string(text_of(*named)) : "none";
}

TEST(IdleCauses, Calls) {
  const auto call = [](const char* name) { return cause(SliceKind::runtime_call, name); };
  EXPECT_EQ(call("cudaStreamSynchronize"), "synchronization");
  EXPECT_EQ(call("hipDeviceSynchronize"), "synchronization");
  EXPECT_EQ(cause(SliceKind::driver_call, "cuCtxSynchronize"), "synchronization");
  EXPECT_EQ(call("cudaMemcpy"), "blocking_copy");
  EXPECT_EQ(call("hipMemcpy2D"), "blocking_copy");
  EXPECT_EQ(call("hipMemcpyWithStream"), "blocking_copy");
  EXPECT_EQ(call("cuMemcpyDtoH"), "blocking_copy");
  EXPECT_EQ(call("cudaMemcpyAsync"), "none");
  EXPECT_EQ(call("cuMemcpyDtoHAsync"), "none");
  EXPECT_EQ(call("cudaMalloc"), "allocation");
  EXPECT_EQ(call("cudaFreeAsync"), "allocation");
  EXPECT_EQ(call("cuMemCreate"), "allocation");
  EXPECT_EQ(call("cuMemAddressReserve"), "allocation");
  EXPECT_EQ(call("cuModuleLoadDataEx"), "module_load");
  EXPECT_EQ(call("cuLibraryLoadData"), "module_load");
  EXPECT_EQ(call("cudaLaunchKernel"), "none");
  EXPECT_EQ(call("enumerate(DataLoader)"), "none");
}

TEST(IdleCauses, OtherSlices) {
  constexpr SliceKind op = SliceKind::framework_op;
  constexpr SliceKind annotation = SliceKind::annotation;
  constexpr SliceKind frame = SliceKind::python_function;
  EXPECT_EQ(cause(annotation, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"), "data_loading");
  EXPECT_EQ(cause(annotation, "waitAndSynchronize"), "synchronization");
  EXPECT_EQ(cause(frame, "torch/cuda/__init__.py(975): synchronize"), "synchronization");
  EXPECT_EQ(cause(frame, "<built-in function _cuda_synchronize>"), "synchronization");
  EXPECT_EQ(cause(frame, "<built-in method synchronize of torch.Event object at 0x7f>"), "synchronization");
  EXPECT_EQ(cause(frame, "model_runner.py(3098): synchronize_input_prep"), "none");
  EXPECT_EQ(cause(op, "torch/cuda/__init__.py(1040): synchronize"), "synchronization");  // 2021: frames are ops
  EXPECT_EQ(cause(annotation, "gc:full"), "garbage_collection");
  EXPECT_EQ(cause(annotation, "Python GC"), "garbage_collection");
  EXPECT_EQ(cause(frame, "train.py(4): gc.collect"), "garbage_collection");
  EXPECT_EQ(cause(frame, "<built-in method acquire of _thread.lock object at 0x7f>"), "lock");
  EXPECT_EQ(cause(annotation, "pthread_cond_wait"), "lock");
  EXPECT_EQ(cause(op, "cudaMalloc"), "none");  // not a call
  EXPECT_EQ(cause(op, "aten::mm"), "none");
}

TEST(IdleCauses, OnlyHostSlicesNameOne) {
  EXPECT_EQ(cause(SliceKind::kernel, "DataLoader"), "none");
  EXPECT_EQ(cause(SliceKind::synchronization, "cudaStreamSynchronize"), "none");
  EXPECT_EQ(cause(SliceKind::overhead, "gc:1"), "none");
}

}  // namespace
}  // namespace cgpu
