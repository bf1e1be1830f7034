#include "analysis/common/folded_names.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

TEST(FoldedNames, WithoutWhatIsDifferentEachTime) {
  EXPECT_EQ(folded_name("<built-in method acquire of _thread.lock object at 0x7fA3>"),
            "<built-in method acquire of _thread.lock object>");
  EXPECT_EQ(folded_name("<bound method f of <m.A object at 0x1> and <m.B object at 0x2>"),
            "<bound method f of <m.A object> and <m.B object>");
  EXPECT_EQ(folded_name("aten::linear, op_id = 317126"), "aten::linear");
  EXPECT_EQ(folded_name("aten::mm, seq = 3, op_id = 17"), "aten::mm");
  EXPECT_EQ(folded_name("Step 10 to 20"), "Step N to N");
  EXPECT_EQ(folded_name("IO 190"), "IO N");
}

TEST(FoldedNames, AddressesAreLeftOut) {
  EXPECT_EQ(folded_name("[unknown 0x55d012345678]"), "[unknown]");
  EXPECT_EQ(folded_name("[unknown 0x00007f3a12345678] in [unknown 0xffffffff81234567]"), "[unknown] in [unknown]");
  EXPECT_EQ(folded_name("libfoo.so+0x7f3a12345678"), "libfoo.so");
  EXPECT_EQ(folded_name("0x7f3a12345678"), "0xN");
  EXPECT_EQ(folded_name("call(0x7f3a12345678,0x55d012345678)"), "call(0xN,0xN)");
  EXPECT_EQ(folded_name("kernel_0x7f3a12345678"), "kernel_0xN");
}

TEST(FoldedNames, OffsetsAndOtherHexadecimalNumbersStay) {
  for (const char* name : {"libfoo.so+0x1234", "libfoo.so+0x0000000000001234", "main+0xffffffff", "flags 0x10", "0x",
                           "0xyz", "abc0x7f3a12345678", "f at 0xyz", "0x123456789012345678"}) {
    EXPECT_EQ(folded_name(name), name);
  }
}

TEST(FoldedNames, OtherNamesStay) {
  for (const char* name : {"", " ", "aten::mm", "torch/nn/modules/linear.py(114): forward", "nn.Module: Linear_12",
                           "Optimizer.step#SGD.step", "[param|cuda|0|0]", "layer 12a", "12"}) {
    EXPECT_EQ(folded_name(name), name);
  }
}

TEST(FoldedNames, OfABuild) {
  EXPECT_EQ(name_in_all_builds("core::fmt::write::h0123456789abcdef"), "core::fmt::write");
  EXPECT_EQ(name_in_all_builds("core::fmt::write::h0123456789abcdef [app]"), "core::fmt::write [app]");
  EXPECT_EQ(name_in_all_builds("main [libx.so+0x7f3a12345678]"), "main [libx.so]");
  for (const char* name :
       {"", "::h0123456789abcdef", "solver::h0123456789abcde", "solver::hash0123456789abcdef", "[unknown]"}) {
    EXPECT_EQ(name_in_all_builds(name), name);
  }
  EXPECT_EQ(without_binary("hipLaunchKernel [libamdhip64.so.5]"), "hipLaunchKernel");
  EXPECT_EQ(without_binary("[unknown]"), "[unknown]");
}

}  // namespace
}  // namespace cgpu
