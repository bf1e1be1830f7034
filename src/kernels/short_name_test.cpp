#include "kernels/short_name.h"

#include <gtest/gtest.h>

#include "kernels/names.h"

namespace cgpu {
namespace {

TEST(ShortName, OfFunctionsIsTheBaseName) {
  for (const char* name :
       {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
        "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float>(cublasGemvParams)",
        "void cutlass::Kernel2<cutlass_80_wmma>(cutlass::Params)", "void (anonymous namespace)::softmax<float>(int)",
        "void at::(anonymous namespace)::cat<float>(int)", "_ZN2at6native6kernelIiEEvT_",
        "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<int>>(int)"}) {
    EXPECT_EQ(short_name(name), base_kernel_name(full_kernel_name(name))) << name;
    EXPECT_LT(short_name(name).size(), 48U) << name;
  }
  EXPECT_EQ(short_name("std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(int)"),
            "internal::gemvx::kernel");
}

TEST(ShortName, OtherNamesStay) {
  for (const char* name :
       {"", "aten::linear", "torch/nn/module.py(122): _call_impl", "<string>(1): <module>", "lambda x: f(x)",
        "<built-in method acquire of _thread.lock object at 0x7f3a10d2c2c0>", "Memcpy HtoD (Pinned -> Device)",
        "ProfilerStep#3", "main (smg2000.c)", "[I/O (kernel)] write", "(no name)", "Ljava/lang/String;->foo(I)V"}) {
    EXPECT_EQ(short_name(name), name);
  }
}

}  // namespace
}  // namespace cgpu
