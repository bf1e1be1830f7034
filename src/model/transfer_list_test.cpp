#include "model/transfer_list.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

Collective transfer(int32_t from, int32_t to, int64_t elements) {
  Collective one;
  one.from = from;
  one.to = to;
  one.elements_in = one.elements_out = elements;
  return one;
}

TEST(TransferList, IsReadBackAsItWasWritten) {
  const std::vector<Collective> transfers{transfer(-1, 1, 2097152), transfer(2, -1, 64), transfer(0, -1, -1)};
  const std::string text = text_of_transfers(transfers);
  EXPECT_EQ(text, "send to 1: 2097152, recv from 2: 64, recv from 0");
  StringPool names;
  Collective op;
  op.slice = 5;
  op.group = names.intern("0");
  std::vector<Collective> read;
  add_transfers(text, op, names, read);
  ASSERT_EQ(read.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].slice, 5u);
    EXPECT_EQ(read[i].group, op.group);
    EXPECT_EQ(read[i].from, transfers[i].from);
    EXPECT_EQ(read[i].to, transfers[i].to);
    EXPECT_EQ(read[i].elements_in, transfers[i].elements_in);
    EXPECT_EQ(names[read[i].name], i == 0 ? "send" : "recv");
  }
}

TEST(TransferList, NothingComesOfOtherTexts) {
  StringPool names;
  std::vector<Collective> read;
  for (const char* text : {"", "12", "send to", "send to x", "send to 1; recv from 2", "recv from -1",
                           "send to 1, and more", "send to 99999999999"}) {
    add_transfers(text, {}, names, read);
    EXPECT_TRUE(read.empty()) << text;
  }
}

}  // namespace
}  // namespace cgpu
