#include "kernels/names.h"

#include <gtest/gtest.h>

#include "kernels/communication_names.h"
#include "kernels/head_symbol.h"

namespace cgpu {
namespace {

TEST(FullKernelName, Demangles) {
  EXPECT_EQ(full_kernel_name("_ZN2at6native13reduce_kernelILi512EfEEviT0_"),
            "void at::native::reduce_kernel<512, float>(int, float)");
  EXPECT_EQ(full_kernel_name("_Z5saxpyPdS_S_di"), "saxpy(double*, double*, double*, double, int)");
  EXPECT_EQ(full_kernel_name("_ZN12_GLOBAL__N_14copyEv"), "(anonymous namespace)::copy()");
}

TEST(FullKernelName, KnowsBfloat16) {
  EXPECT_EQ(full_kernel_name("_ZN5aiter4normIDF16bDF16bLi8EEEvPT0_PT_PfS4_"),
            "void aiter::norm<std::bfloat16_t, std::bfloat16_t, 8>(std::bfloat16_t*, std::bfloat16_t*, float*, "
            "std::bfloat16_t*)");
}

TEST(FullKernelName, DropsTheKernelDescriptorSuffix) {
  EXPECT_EQ(full_kernel_name("_Z5saxpyPdS_S_di.kd"), "saxpy(double*, double*, double*, double, int)");
  EXPECT_EQ(full_kernel_name("saxpy(double*) [clone .kd]"), "saxpy(double*)");
  EXPECT_EQ(full_kernel_name("Cijk_Ailk_Bljk.kd"), "Cijk_Ailk_Bljk");
  EXPECT_EQ(full_kernel_name("saxpy(double*) [clone .isra.0]"), "saxpy(double*) [clone .isra.0]");
  EXPECT_EQ(full_kernel_name(".kd"), ".kd");
}

TEST(FullKernelName, WritesAnonymousNamespacesInOneWay) {
  EXPECT_EQ(full_kernel_name("void at::<unnamed>::f<<unnamed>::T>(int)"),
            "void at::(anonymous namespace)::f<(anonymous namespace)::T>(int)");
  EXPECT_EQ(full_kernel_name("void {anonymous}::f()"), "void (anonymous namespace)::f()");
  EXPECT_EQ(full_kernel_name("void (anonymous namespace)::f()"), "void (anonymous namespace)::f()");
}

TEST(FullKernelName, LeavesOutTheFileThatAloneCanSeeIt) {
  const std::string anonymous = "(anonymous namespace)";
  for (const char* name : {"_ZN41_GLOBAL__N__8a3c2f1b_9_kernel_cu_1a2b3c4d4copyEPi",
                           "_ZN41_GLOBAL__N__00112233_9_kernel_cu_445566774copyEPi",
                           "_GLOBAL__N__8a3c2f1b_9_kernel_cu_1a2b3c4d::copy(int*)"}) {
    EXPECT_EQ(full_kernel_name(name), anonymous + "::copy(int*)");
  }
  EXPECT_EQ(
      full_kernel_name("void cv::f<int, _GLOBAL__N__58_tmpxft_00003916_00000000_9_add_cpp1_ii_71482d89::Op<int>>(int)"),
      "void cv::f<int, (anonymous namespace)::Op<int>>(int)");
  for (const char* name :
       {"_ZN39_INTERNAL_8a3c2f1b_9_kernel_cu_1a2b3c4d4copyEPi", "_INTERNAL_8a3c2f1b_9_kernel_cu_1a2b3c4d::copy(int*)",
        "__nv_static_30__8a3c2f1b_9_kernel_cu_1a2b3c4d__Z4copyPi",
        "__nv_static_99__8a3c2f1b_9_kernel_cu_1a2b3c4d__Z4copyPi"}) {
    EXPECT_EQ(full_kernel_name(name), "copy(int*)");
  }
  EXPECT_EQ(full_kernel_name("__nv_static_27__14_kernel_cpp1_ii_6c28956c_advance"), "advance");
  for (const char* name : {"__nv_static_", "__nv_static_9", "__nv_static_27__14_kernel", "_INTERNAL_::f()",
                           "lib_INTERNAL_8a3c2f1b::f()", "_INTERNAL_state::f()", "_GLOBAL__N_"}) {
    EXPECT_EQ(full_kernel_name(name), name);
  }
}

TEST(FullKernelName, ReturnsWhatDoesNotDemangle) {
  for (const char* name :
       {"", "_Z", "_Zxyz?", "_ZN5aiter24add_rmsnorm_quant_kernelI", "triton_poi_fused_0", "nvjet_hsh"}) {
    EXPECT_EQ(full_kernel_name(name), name);
  }
  const std::string with_zero("_Z1fv\0x", 7);
  EXPECT_EQ(full_kernel_name(with_zero), with_zero);
  const std::string enormous = "_Z100000" + std::string(100'000, 'f') + "v";
  EXPECT_EQ(full_kernel_name(enormous), enormous);
}

// Every further argument of f, A<previous, previous> or B<previous, previous>, doubles the text: with 20 of them a name
// of 210 bytes stands for 35 MB.
TEST(FullKernelName, DoesNotExplode) {
  for (const std::string doubling : {"S_I", "1BI"}) {
    std::string name = "_Z1f1AIiiE";
    for (const char digit : std::string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
      const std::string reference = std::string("S") + digit + "_";
      name += doubling + reference + reference + "E";
      const std::string full = full_kernel_name(name);
      EXPECT_LE(full.size(), size_t{1} << 16);
      EXPECT_TRUE(full == name || full.rfind("f(A<int, int>, ", 0) == 0) << full;
      if (digit == '0') {
        EXPECT_NE(full, name);
      }
    }
    EXPECT_EQ(full_kernel_name(name), name);
  }
}

struct Split {
  const char* name;
  const char* head;
  const char* arguments;
};

TEST(SplitHeadSymbol, Signatures) {
  const Split splits[] = {
      {"saxpy(double *, int)", "saxpy", "(double *, int)"},
      {"void a::b<int, 4>(float*)", "a::b", "<int, 4>(float*)"},
      {"a<int>::b<4>::c", "a::b::c", "<int><4>"},
      {"void a::(anonymous namespace)::b<(anonymous namespace)::T>(int)", "a::b", "<(anonymous namespace)::T>(int)"},
      {"void <unnamed>::b(int)", "b", "(int)"},
      {"unsigned long f(int)", "f", "(int)"},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float>(T)", "internal::gemvx::kernel",
       "<int, float>(T)"},
      {"std::enable_if<((8)>(0))&&((3)<(4)), void>::type f<2>(T)", "f", "<2>(T)"},
      {"decltype(g<int>(0)) f<int>(T)", "f", "<int>(T)"},
      {"decltype (g<int>(0)) f<int>(T)", "f", "<int>(T)"},
      {"void f<(bool)1, (a > b), &(A::operator->)>(int)", "f", "<(bool)1, (a > b), &(A::operator->)>(int)"},
      {"void f<((3)>(2)), 1>(int)", "f", "<((3)>(2)), 1>(int)"},
      {"bool operator< <int>(T, T)", "operator<", "<int>(T, T)"},
      {"bool a::operator<<int>(T, T)", "a::operator<", "<int>(T, T)"},
      {"A& a::operator<< <int>(T, T)", "a::operator<<", "<int>(T, T)"},
      {"A& operator<<(A&, int)", "operator<<", "(A&, int)"},
      {"void a::F<int>::operator()<float>(float) const", "a::F::operator()", "<int><float>(float)"},
      {"a::F::operator bool() const", "a::F::operator bool", "()"},
      {"void f<a::operator()<b>>(int)", "f", "<a::operator()<b>>(int)"},
      {"my_operator<int>(int)", "my_operator", "<int>(int)"},
      {"f(int)::{lambda(float, T<int>)#1}::operator()(float) const", "f::{lambda}::operator()",
       "(int)(float, T<int>)#1}(float)"},
      {"void k<f(a &)::[lambda(int, int) (instance 1)]>(T1)", "k", "<f(a &)::[lambda(int, int) (instance 1)]>(T1)"},
      {"f[abi:cxx11](int)", "f", "(int)"},
      {"f[v1,cw51cXTLSUwv1sDU](Array<long long, 1>, int)", "f", "(Array<long long, 1>, int)"},
      {"f(int) [clone .isra.0]", "f", "(int)"},
  };
  for (const Split& split : splits) {
    const HeadSymbol got = split_head_symbol(split.name);
    EXPECT_EQ(got.head, split.head) << split.name;
    EXPECT_EQ(got.arguments, split.arguments) << split.name;
    EXPECT_EQ(base_kernel_name(split.name), split.head);
  }
}

TEST(SplitHeadSymbol, OtherNamesAreTheirOwnHead) {
  for (const char* name : {"", "nvjet_hsh_128x256_64x4", "Memcpy HtoD (Pinned -> Device)", "Memset (Device)",
                           "[CUDA memcpy Host-to-Device]", "triton__0d1d2d3de", "aten::mul.out-dtype_Float", "a < b"}) {
    const HeadSymbol got = split_head_symbol(name);
    EXPECT_EQ(got.head, name);
  }
}

TEST(SplitHeadSymbol, MangledNames) {
  HeadSymbol got = split_head_symbol("_ZN2ck6device12_GLOBAL__N_111kernel_convINS_4gemmEEEvT_");
  EXPECT_EQ(got.head, "ck::device::kernel_conv");
  EXPECT_EQ(got.arguments, "INS_4gemmEEEvT_");
  EXPECT_EQ(split_head_symbol("_Z5saxpyPd").head, "saxpy");
  EXPECT_EQ(split_head_symbol("_ZNSt4sortIiEEv").head, "std::sort");
  EXPECT_EQ(split_head_symbol("_ZN99999999999999999999short").head, "short");
  for (const char* name : {"_Z", "_ZN", "_ZN0", "_Z?x"}) EXPECT_EQ(split_head_symbol(name).head, name);
}

TEST(SplitHeadSymbol, UnbalancedNames) {
  EXPECT_EQ(split_head_symbol("void a::f<int, (b").head, "a::f");
  EXPECT_EQ(split_head_symbol("void a::f<int>(b<").head, "a::f");
  EXPECT_EQ(split_head_symbol("a::f>(int)").head, "a::f>");
  EXPECT_EQ(split_head_symbol("f)").head, "f)");
}

TEST(ApiName, LosesVersionAndStreamSuffixes) {
  EXPECT_EQ(api_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(api_name("cudaMemcpyAsync_v3020_ptsz"), "cudaMemcpyAsync");
  EXPECT_EQ(api_name("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(api_name("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD");
  EXPECT_EQ(api_name("cudaStreamGetCaptureInfo_v2_v11030"), "cudaStreamGetCaptureInfo");
  EXPECT_EQ(api_name("cuGetProcAddress_v2"), "cuGetProcAddress_v2") << "two functions";
  EXPECT_EQ(api_name("cuGetProcAddress"), "cuGetProcAddress");
  EXPECT_EQ(api_name("cuGetProcAddress_v2_ptsz"), "cuGetProcAddress_v2");
  for (const char* name :
       {"cudaLaunchKernel", "hipModuleLaunchKernel", "", "_v2", "_ptsz", "cuda_v", "cuda_version2", "v2"}) {
    EXPECT_EQ(api_name(name), name);
  }
}

TEST(CommunicationNames, TellHostsFromDevices) {
  for (const char* name : {"gloo:all_reduce", "mpi:barrier", "ucc:send", "MPI_Allreduce"}) {
    EXPECT_TRUE(communicates_on_host(name)) << name;
    EXPECT_TRUE(communicates(name)) << name;
  }
  for (const char* name : {"nccl:all_reduce", "c10d::broadcast_", "record_param_comms"}) {
    EXPECT_FALSE(communicates_on_host(name)) << name;
    EXPECT_TRUE(communicates(name)) << name;
  }
  for (const char* name : {"aten::add_", "compute_gloo:", "read MPI_file"}) EXPECT_FALSE(communicates(name)) << name;
}

}  // namespace
}  // namespace cgpu
