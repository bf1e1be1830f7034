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

TEST(FoldedNames, OtherNamesStay) {
  for (const char* name : {"", " ", "aten::mm", "torch/nn/modules/linear.py(114): forward", "nn.Module: Linear_12",
                           "Optimizer.step#SGD.step", "[param|cuda|0|0]", "layer 12a", "12"}) {
    EXPECT_EQ(folded_name(name), name);
  }
}

}  // namespace
}  // namespace cgpu
