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

TEST(IdleCauses, CompilersButNotWhatTheyMade) {
  constexpr SliceKind annotation = SliceKind::annotation;
  constexpr SliceKind frame = SliceKind::python_function;
  EXPECT_EQ(cause(annotation, "OutputGraph.call_user_compiler (dynamo_timed)"), "compilation");
  EXPECT_EQ(cause(annotation, "FusionKernelRuntime::compileFusionParallel"), "compilation");
  EXPECT_EQ(cause(annotation, "executor_utils::Nvrtc::CompileProgram"), "compilation");
  EXPECT_EQ(cause(annotation, "KernelExecutor::compile"), "compilation");
  EXPECT_EQ(cause(SliceKind::runtime_call, "AscendCL@aclopCompileAndExecute"), "compilation");
  EXPECT_EQ(cause(SliceKind::runtime_call, "hiprtcCompileProgram"), "compilation");
  EXPECT_EQ(cause(frame, "torch/_dynamo/convert_frame.py(1072): _compile"), "compilation");
  EXPECT_EQ(cause(frame, "torch/_inductor/compile_fx.py(1017): compile_fx"), "compilation");
  EXPECT_EQ(cause(frame, "triton/compiler/compiler.py(226): compile"), "compilation");
  EXPECT_EQ(cause(frame, "triton/runtime/autotuner.py(120): _bench"), "compilation");
  EXPECT_EQ(cause(frame, "torch/_inductor/runtime/triton_heuristics.py(900): benchmark_all_configs"), "compilation");
  EXPECT_EQ(cause(frame, "triton/compiler/compiler.py(444): _init_handles"), "module_load");

  EXPECT_EQ(cause(annotation, "Torch-Compiled Region: 0/0"), "none");
  EXPECT_EQ(cause(annotation, "TorchDynamo Cache Lookup"), "none");
  EXPECT_EQ(cause(annotation, "## Call CompiledFxGraph fud64 ##"), "none");
  EXPECT_EQ(cause(frame, "torch/_dynamo/eval_frame.py(791): compile_wrapper"), "none");
  EXPECT_EQ(cause(frame, "torch/_inductor/output_code.py(590): __call__"), "none");
  EXPECT_EQ(cause(frame, "torch/compiler/__init__.py(380): is_compiling"), "none");
  EXPECT_EQ(cause(frame, "triton/compiler/compiler.py(481): run"), "none");
  EXPECT_EQ(cause(frame, "benchmark.py(12): benchmark"), "none");
}

TEST(IdleCauses, ReadingAndWriting) {
  constexpr SliceKind frame = SliceKind::python_function;
  EXPECT_EQ(cause(SliceKind::os_call, "read"), "io");
  EXPECT_EQ(cause(SliceKind::os_call, "epoll_wait"), "io");
  EXPECT_EQ(cause(SliceKind::os_call, "futex"), "lock");
  EXPECT_EQ(cause(SliceKind::os_call, "pthread_cond_timedwait"), "lock");
  EXPECT_EQ(cause(SliceKind::os_call, "ioctl"), "none");
  EXPECT_EQ(cause(SliceKind::annotation, "read"), "none");  // whatever somebody calls so
  EXPECT_EQ(cause(frame, "<built-in function read>"), "io");
  EXPECT_EQ(cause(frame, "<built-in method poll of select.poll object at 0x7f>"), "io");
  EXPECT_EQ(cause(frame, "<built-in method recvmsg of socket object at 0x7f>"), "io");
  EXPECT_EQ(cause(frame, "<built-in method read of _io.BufferedReader object at 0x7f>"), "io");
  EXPECT_EQ(cause(frame, "<built-in method write of _io.BytesIO object at 0x7f>"), "none");
  EXPECT_EQ(cause(frame, "<built-in method select of Tensor object at 0x7f>"), "none");
  EXPECT_EQ(cause(frame, "<built-in method send of generator object at 0x7f>"), "none");
  // As methods of a class, without an object:
  EXPECT_EQ(cause(frame, "<method 'poll' of 'select.epoll' objects>"), "io");
  EXPECT_EQ(cause(frame, "<method 'write' of '_io.BytesIO' objects>"), "none");
  EXPECT_EQ(cause(frame, "<method 'recv' of '_socket.socket' objects>"), "io");
  EXPECT_EQ(cause(frame, "<method 'acquire' of '_thread.lock' objects>"), "lock");
  EXPECT_EQ(cause(frame, "<method 'get' of '_queue.SimpleQueue' objects>"), "lock");
  EXPECT_EQ(cause(frame, "<built-in method get of _queue.SimpleQueue object at 0x7f>"), "lock");
  EXPECT_EQ(cause(frame, "<built-in method put of _queue.SimpleQueue object at 0x7f>"), "none");
  EXPECT_EQ(cause(frame, "<method 'get' of 'dict' objects>"), "none");
}

TEST(IdleCauses, WaitsForOthersToSaySomething) {
  EXPECT_TRUE(waits_for_event("/usr/lib/python3.12/queue.py(171): get"));
  EXPECT_TRUE(waits_for_event("threading.py(320): wait"));
  EXPECT_TRUE(waits_for_event("<built-in method get of _queue.SimpleQueue object>"));
  EXPECT_TRUE(waits_for_event("<method 'poll' of 'select.epoll' objects>"));
  EXPECT_TRUE(waits_for_event("pthread_cond_wait"));
  EXPECT_FALSE(waits_for_event("<built-in method acquire of _thread.lock object>"));
  EXPECT_FALSE(waits_for_event("queue.py(122): put"));
  EXPECT_FALSE(waits_for_event("train.py(3): get"));
}

TEST(IdleCauses, WhereServersTakeRequests) {
  constexpr SliceKind frame = SliceKind::python_function;
  EXPECT_EQ(cause(frame, "vllm/v1/engine/core.py(900): _process_input_queue"), "no_work");
  EXPECT_EQ(cause(frame, "/usr/lib/python3.12/socketserver.py(226): serve_forever"), "no_work");
  EXPECT_EQ(cause(SliceKind::os_call, "getc"), "no_work");
  EXPECT_EQ(cause(SliceKind::os_call, "fgetc"), "no_work");
  EXPECT_EQ(cause(SliceKind::annotation, "getc"), "none");
  EXPECT_EQ(cause(frame, "queue.py(154): get"), "none");
  EXPECT_EQ(cause(frame, "/usr/lib/python3.12/asyncio/base_events.py(1922): _run_once"), "no_work");
  EXPECT_EQ(cause(frame, "site-packages/grpc/_server.py(1167): _serve"), "no_work");
  EXPECT_EQ(cause(frame, "train.py(3): serve_forever"), "none");
}

TEST(IdleCauses, WorkOfTheDriver) {
  EXPECT_EQ(cause(SliceKind::overhead, "Lazy Function Loading"), "module_load");
  EXPECT_EQ(cause(SliceKind::other, "Runtime Triggered Module Loading"), "module_load");
  EXPECT_EQ(cause(SliceKind::overhead, "Driver Compiler"), "compilation");
  EXPECT_EQ(cause(SliceKind::overhead, "Activity Buffer Request"), "none");
}

TEST(IdleCauses, OnlyHostSlicesNameOne) {
  EXPECT_EQ(cause(SliceKind::kernel, "DataLoader"), "none");
  EXPECT_EQ(cause(SliceKind::synchronization, "cudaStreamSynchronize"), "none");
  EXPECT_EQ(cause(SliceKind::overhead, "gc:1"), "none");
}

}  // namespace
}  // namespace cgpu
