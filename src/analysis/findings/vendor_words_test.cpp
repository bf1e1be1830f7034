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
  EXPECT_EQ(in_words_of("NVIDIA", true, kAllocate), kAllocate);
  EXPECT_EQ(in_words_of("NVIDIA", false, kAllocate),
            "Allocate once and reuse: buffers made before the loop, cudaMallocAsync with a pool");
  EXPECT_EQ(in_words_of("AMD", false, kAllocate),
            "Allocate once and reuse: buffers made before the loop, hipMallocAsync with a pool");
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
