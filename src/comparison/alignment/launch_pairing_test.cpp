#include "comparison/alignment/launch_pairing.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

constexpr uint32_t kNobody = Pairing::kUnmatched;

ProfiledLaunch launch(const std::string& kernel, int64_t blocks = 64) {
  ProfiledLaunch one;
  one.kernel = kernel;
  one.grid = {blocks, 1, 1};
  one.block = {256, 1, 1};
  return one;
}

/// The partners of the launches of a; those of b, and the other way round, have to agree.
std::vector<uint32_t> partners(const std::vector<ProfiledLaunch>& a, const std::vector<ProfiledLaunch>& b) {
  const Pairing pairing = pair_launches(a, b);
  const Pairing mirrored = pair_launches(b, a);
  EXPECT_EQ(pairing.of_a, mirrored.of_b);
  EXPECT_EQ(pairing.of_b, mirrored.of_a);
  for (uint32_t i = 0; i < a.size(); ++i) {
    if (pairing.of_a[i] != kNobody) {
      EXPECT_EQ(pairing.of_b[pairing.of_a[i]], i);
    }
  }
  return pairing.of_a;
}

TEST(WithoutSourcePlaces, LeavesOutFileLineAndColumn) {
  EXPECT_EQ(without_source_places("void k<{lambda at /home/me/a b.cpp:12:3}, (lambda at y.cu:1:22)>(int)"),
            "void k<{lambda}, (lambda)>(int)");
  EXPECT_EQ(without_source_places("k<(anonymous class at C:\\x.cpp:1:2)>()"), "k<(anonymous class)>()");
  for (const char* name : {"", "k()", "k(1:2:3)", "what at x(int)", "k<{lambda(int)#1}>(int)", "k at x:1)", ":1:2)"}) {
    EXPECT_EQ(without_source_places(name), name);
  }
}

TEST(PairLaunches, FileAndHashOfTheBuildAreNoPartOfAName) {
  const std::vector<ProfiledLaunch> a{launch("_ZN41_GLOBAL__N__8a3c2f1b_9_kernel_cu_1a2b3c4d4copyEPi"),
                                      launch("_INTERNAL_8a3c2f1b_9_kernel_cu_1a2b3c4d::scale(int *)"),
                                      launch("__nv_static_30__8a3c2f1b_9_kernel_cu_1a2b3c4d__Z3addPi"),
                                      launch("void run<{lambda at /home/a/x.cpp:12:3}>(int)"),
                                      launch("cudapy::scan[abi:v1,cw51cXTL](Array<float, 1>)"),
                                      launch("julia_step_5888(float)")};
  const std::vector<ProfiledLaunch> b{launch("_ZN41_GLOBAL__N__00112233_9_kernel_cu_445566774copyEPi"),
                                      launch("_INTERNAL_00112233_9_kernel_cu_44556677::scale(int *)"),
                                      launch("__nv_static_30__00112233_9_kernel_cu_44556677__Z3addPi"),
                                      launch("void run<{lambda at /build/x.cpp:14:3}>(int)"),
                                      launch("cudapy::scan[abi:v1,b2dQ](Array<float, 1>)"),
                                      launch("julia_step_6001(float)")};
  EXPECT_EQ(partners(a, b), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(PairLaunches, FullNamesComeBeforeBaseNames) {
  EXPECT_EQ(partners({launch("f<1>()"), launch("f<2>()"), launch("f<3>()")}, {launch("f<2>()"), launch("f<4>()")}),
            (std::vector<uint32_t>{kNobody, 0, 1}));
}

TEST(PairLaunches, GridAndBlockSayWhichLaunchIsMissing) {
  EXPECT_EQ(partners({launch("f()", 8), launch("f()", 64), launch("f()", 8)}, {launch("f()", 64), launch("f()", 8)}),
            (std::vector<uint32_t>{kNobody, 0, 1}));
}

TEST(PairLaunches, EquallyManyLaunchesOfANameArePairedInOrder) {
  EXPECT_EQ(partners({launch("f()", 8), launch("f()", 16), launch("f()", 32)},
                     {launch("f()", 16), launch("f()", 32), launch("f()", 64)}),
            (std::vector<uint32_t>{0, 1, 2}));
}

TEST(PairLaunches, OtherKernelsOfTheSameShapeAreOtherKernels) {
  EXPECT_EQ(partners({launch("f()"), launch("g()")}, {launch("f()"), launch("h()")}),
            (std::vector<uint32_t>{0, kNobody}));
  EXPECT_EQ(partners({}, {launch("f()")}), std::vector<uint32_t>());
}

}  // namespace
}  // namespace cgpu
