#include "base/string_pool.h"

#include <gtest/gtest.h>

#include <string>

namespace cgpu {
namespace {

TEST(StringPool, EmptyTextIsIdZero) {
  StringPool pool;
  EXPECT_EQ(pool.intern(""), 0u);
  EXPECT_EQ(pool[0], "");
  EXPECT_EQ(pool.size(), 1u);
}

TEST(StringPool, SameTextSameIdAndViewsStayValidWhileItGrows) {
  StringPool pool;
  const StringId first = pool.intern("first");
  const std::string_view view = pool[first];
  for (int i = 0; i < 50000; ++i) EXPECT_EQ(pool.intern("n" + std::to_string(i)), StringId(i + 2));
  for (int i = 0; i < 50000; ++i) EXPECT_EQ(pool.find("n" + std::to_string(i)), StringId(i + 2));
  EXPECT_EQ(pool.intern("first"), first);
  EXPECT_EQ(view, "first");
  EXPECT_EQ(pool.find("absent"), StringPool::absent);
}

TEST(StringPool, TextLongerThanABlock) {
  StringPool pool;
  const std::string huge(1 << 20, 'x');
  const StringId id = pool.intern(huge);
  EXPECT_EQ(pool[id], huge);
  EXPECT_EQ(pool[pool.intern("after")], "after");
}

}  // namespace
}  // namespace cgpu
