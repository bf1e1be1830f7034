// The rules in name_rules.txt: all lists can be asked, and what the first rule that matches says counts.
#include "analysis/common/name_rules.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

TEST(NameRules, EveryListHasRulesOfItsOwn) {
  EXPECT_EQ(label_of(NameList::counted_step, "train step 12"), "step");
  EXPECT_EQ(label_of(NameList::engine_step, "step[EXTEND bs=1 toks=15360]"), "step[");
  EXPECT_EQ(label_of(NameList::event_wait, "queue.py(171): get"), "event");
  EXPECT_EQ(label_of(NameList::expert_op, "aten::index_add_"), "put_back");
  EXPECT_EQ(label_of(NameList::idle_call, "cuModuleLoadData"), "module_load");
  EXPECT_EQ(label_of(NameList::idle_driver, "Lazy Function Loading"), "module_load");
  EXPECT_EQ(label_of(NameList::idle_host, "gc:full"), "garbage_collection");
  EXPECT_EQ(label_of(NameList::idle_os_call, "pread64"), "io");
  EXPECT_EQ(label_of(NameList::io_range, "IO 3"), "io");
  EXPECT_EQ(label_of(NameList::layer_part, "MoEGate"), "MoE router");
  EXPECT_EQ(label_of(NameList::other_wait, "waitpid"), "other");
  EXPECT_EQ(label_of(NameList::phase, "decode[bs=4]"), "decode");
  EXPECT_EQ(group_in(NameList::rack, "gpu-rack07-2"), "07");
  EXPECT_TRUE(is_in(NameList::sleep, "nanosleep"));
}

TEST(NameRules, ARuleOfTwoListsIsOfBoth) {
  EXPECT_EQ(label_of(NameList::idle_call, "nvrtcCompileProgram"), "compilation");
  EXPECT_EQ(label_of(NameList::idle_host, "nvrtcCompileProgram"), "compilation");
  EXPECT_EQ(label_of(NameList::idle_driver, "nvrtcCompileProgram"), "");
}

TEST(NameRules, ADashMeansNoLabel) {
  EXPECT_EQ(label_of(NameList::idle_host, "<built-in method read of _io.BufferedReader object at 0x7f>"), "io");
  EXPECT_EQ(label_of(NameList::idle_host, "<built-in method read of _io.BytesIO object at 0x7f>"), "");
  EXPECT_EQ(label_of(NameList::idle_host, "torch/_inductor/select.py(3): autotune"), "compilation");
  EXPECT_EQ(label_of(NameList::idle_host, "torch/_inductor/select.py(3): is_compiling_autotune"), "");
}

TEST(NameRules, WordsOfIORanges) {
  for (const char* name : {"I/O", "io", "Save", "load_batch", "checkpoint 3"})
    EXPECT_TRUE(is_in(NameList::io_range, name)) << name;
  for (const char* name : {"", "ION", "reader", "async save", "i o"})
    EXPECT_FALSE(is_in(NameList::io_range, name)) << name;
}

}  // namespace
}  // namespace cgpu
