// The words of suggestions, for each vendor, with PyTorch and without.
#include "analysis/findings/vendor_words.h"

#include <gtest/gtest.h>

#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

constexpr const char* kAllocate =
    "Allocate once and reuse: a caching allocator (PYTORCH_CUDA_ALLOC_CONF), buffers made before the loop, "
    "cudaMallocAsync with a pool";

TEST(SuggestionWords, AProgramWithoutPyTorchGetsNoneOfItsAdvice) {
  EXPECT_EQ(in_words_of("NVIDIA", true, kAllocate, true), kAllocate);
  EXPECT_EQ(in_words_of("NVIDIA", false, kAllocate, true),
            "Allocate once and reuse: buffers made before the loop, cudaMallocAsync with a pool");
  EXPECT_EQ(in_words_of("AMD", false, kAllocate, true),
            "Allocate once and reuse: buffers made before the loop, hipMallocAsync with a pool");
}

TEST(SuggestionWords, ToolsAndSettingsAreThoseOfTheVendor) {
  constexpr const char* kBlocking =
      "unset CUDA_LAUNCH_BLOCKING (HIP_LAUNCH_BLOCKING, AMD_SERIALIZE_KERNEL, ASCEND_LAUNCH_BLOCKING)";
  EXPECT_EQ(in_words_of("NVIDIA", true, kBlocking, true), "unset CUDA_LAUNCH_BLOCKING");
  EXPECT_EQ(in_words_of("Huawei", true, kBlocking, true), "unset ASCEND_LAUNCH_BLOCKING");
  constexpr const char* kAttention =
      "Try another implementation (FlashAttention-3, cuDNN, aiter or Composable Kernel in the place of a generic Triton "
      "kernel)";
  EXPECT_EQ(in_words_of("NVIDIA", true, kAttention, true),
            "Try another implementation (FlashAttention-3 or cuDNN in the place of a generic Triton kernel)");
  EXPECT_EQ(in_words_of("AMD", true, kAttention, true),
            "Try another implementation (aiter or Composable Kernel in the place of a generic Triton kernel)");
  constexpr const char* kRecord = "Record the calls, too (rocprofv3 --sys-trace, nsys profile -t cuda), with NVTX";
  EXPECT_EQ(in_words_of("NVIDIA", true, kRecord, true), "Record the calls, too (nsys profile -t cuda), with NVTX");
  EXPECT_EQ(in_words_of("AMD", true, kRecord, true), "Record the calls, too (rocprofv3 --sys-trace), with roctx");
  EXPECT_EQ(in_words_of("Huawei", true, kRecord, true), "Record the calls, too (msprof --runtime-api=on), with mstx");
  for (const char* vendor : {"", "other", "IBM"}) {
    EXPECT_EQ(in_words_of(vendor, true, kRecord, true), "Record the calls, too, with ranges that the program marks");
  }
}

TEST(SuggestionWords, EqualWorkIsOfTokensInPyTorchAlone) {
  constexpr const char* kEqual = "equal work: batches of equally many tokens (sort or pack sequences by their length)";
  EXPECT_EQ(in_words_of("NVIDIA", true, kEqual, true), kEqual);
  EXPECT_EQ(in_words_of("NVIDIA", false, kEqual, false),
            "equal work: parts of the data or of the domain that take equally long");
}

TEST(SuggestionWords, TheLockOfTheInterpreterIsForPython) {
  constexpr const char* kLock =
      "Find who holds it: often the interpreter's lock, when other threads of the process run Python";
  EXPECT_EQ(in_words_of("NVIDIA", false, kLock, true), kLock);
  EXPECT_EQ(in_words_of("NVIDIA", false, kLock, false).find("Python"), std::string::npos);
  Session session;
  TestRun plain;
  plain.host(SliceKind::annotation, "solve", 0, 10);
  session.runs.push_back(std::move(plain.run));
  EXPECT_FALSE(uses_python(session));
  TestRun python;
  python.host(SliceKind::python_function, "train.py(3): main", 0, 10);
  session.runs.push_back(std::move(python.run));
  EXPECT_TRUE(uses_python(session));
}

TEST(SuggestionWords, PyTorchIsKnownByItsFormatAndByItsNames) {
  Session session;
  TestRun plain;
  plain.kernel("saxpy(float*)", 0, 10);
  session.runs.push_back(std::move(plain.run));
  EXPECT_FALSE(uses_pytorch(session));
  TestRun named;
  named.host(SliceKind::annotation, "aten::add", 0, 10);
  session.runs.push_back(std::move(named.run));
  EXPECT_TRUE(uses_pytorch(session));
  TestRun kineto;
  kineto.run.format = "kineto";
  session.runs.clear();
  session.runs.push_back(std::move(kineto.run));
  EXPECT_TRUE(uses_pytorch(session));
  session.runs[0].format = "perfetto";
  EXPECT_FALSE(uses_pytorch(session));
  session.runs[0].exported_from = "kineto";
  EXPECT_TRUE(uses_pytorch(session));
}

}  // namespace
}  // namespace cgpu
