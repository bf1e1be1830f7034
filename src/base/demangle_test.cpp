#include "base/demangle.h"

#include <gtest/gtest.h>

#include "base/rust_symbol.h"

namespace cgpu {
namespace {

TEST(Demangle, LeavesOtherNamesAlone) {
  for (const char* name : {"", "main", "_start", "_Z", "_R", "_RNv", "__libc_start_main", "_Zzz", "_RCx"}) {
    EXPECT_EQ(demangle(name), name);
  }
}

TEST(Demangle, Cpp) {
  EXPECT_EQ(demangle("_Z5gammav"), "gamma()");
  EXPECT_EQ(demangle("_ZNSt6vectorIiSaIiEE9push_backEOi"), "std::vector<int, std::allocator<int> >::push_back(int&&)");
}

TEST(Demangle, OldRust) {
  EXPECT_EQ(demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"), "core::fmt::Write::write_fmt");
  EXPECT_EQ(demangle("_ZN57_$LT$T$u20$as$u20$alloc..string..ToString$GT$9to_string17h0123456789abcdefE"),
            "_ZN57_$LT$T$u20$as$u20$alloc..string..ToString$GT$9to_string17h0123456789abcdefE");  // wrong length
  EXPECT_EQ(clean_old_rust_name("_$LT$T$u20$as$u20$a..B$GT$::c::h0123456789abcdef"), "<T as a::B>::c");
  EXPECT_EQ(clean_old_rust_name("a::h0123456789abcdeX"), "a::h0123456789abcdeX");
}

// Examples of RFC 2603 and of each production of the grammar.
TEST(Demangle, Rust) {
  EXPECT_EQ(demangle("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
  EXPECT_EQ(demangle("_RNvNtC7mycrate3bar3foo"), "mycrate::bar::foo");
  EXPECT_EQ(demangle("_RNCNvC7mycrate3foo0"), "mycrate::foo::{closure#0}");
  EXPECT_EQ(demangle("_RNCNvC7mycrate3foos0_0"), "mycrate::foo::{closure#2}");
  EXPECT_EQ(demangle("_RNCNkNvC1a3KEY00B4_"), "a::KEY::{closure#0}");
  EXPECT_EQ(demangle("_RNSNvC1a1fs_4call"), "a::f::{shim:call#1}");
  EXPECT_EQ(demangle("_RINvC1a1fmE"), "a::f::<u32>");
  EXPECT_EQ(demangle("_RINvC1a1fmEC1b"), "a::f::<u32>");
  EXPECT_EQ(demangle("_RNvMC1aNtB2_3Foo3bar"), "<a::Foo>::bar");
  EXPECT_EQ(demangle("_RNvMs_C1aNtC1a3Foo3bar"), "<a::Foo>::bar");
  EXPECT_EQ(demangle("_RNvXC1aNtC1a3FooNtC1b5Trait3bar"), "<a::Foo as b::Trait>::bar");
  EXPECT_EQ(demangle("_RNvYNtC1a3FooNtC1b5Trait3bar"), "<a::Foo as b::Trait>::bar");
  EXPECT_EQ(demangle("_RINvC1a1fAhj3_ShTlxETmERtQyPzOuE"),
            "a::f::<[u8; 3], [u8], (i32, i64), (u32,), &u16, &mut u64, *const !, *mut ()>");
  EXPECT_EQ(demangle("_RINvC1a1fFUKCmEuFhEtE"), "a::f::<unsafe extern \"C\" fn(u32), fn(u8) -> u16>");
  EXPECT_EQ(demangle("_RINvC1a1fFG_RL0_hEuE"), "a::f::<for<'a> fn(&'a u8)>");
  EXPECT_EQ(demangle("_RINvC1a1fDNtC1b1TEL_E"), "a::f::<dyn b::T>");
  EXPECT_EQ(demangle("_RINvC1a1fDINtC1b1TmEp3OutlNtC1b1UEL_E"), "a::f::<dyn b::T<u32, Out = i32> + b::U>");
  EXPECT_EQ(demangle("_RINvC1a1fKj1f_Kan5_Kb1_Kc41_KpE"), "a::f::<31, -5, true, 'A', _>");
  EXPECT_EQ(demangle("_RINvC1a1fL_E"), "a::f::<'_>");
  EXPECT_EQ(demangle("_RINvC1a1fINtC1b1TmEB7_E"), "a::f::<b::T<u32>, b::T<u32>>");
  EXPECT_EQ(demangle("_RNvC1au6abc_1d"), "a::punycode{abc_1d}");
  EXPECT_EQ(demangle("_RNvC1a1f.llvm.123"), "a::f");
}

TEST(Demangle, RustThatIsDamagedStaysAsItIs) {
  const std::string whole = "_RINvC1a1fDINtC1b1TmEp3OutlNtC1b1UEL_KanfF_TB7_EE";
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string part = whole.substr(0, size);
    EXPECT_EQ(demangle(part), demangle_rust(part).value_or(part));
  }
  for (const std::string bad : {"_RNvC9a1f", "_RNvC99999999999999999999a", "_RB_", "_RNvB_1f", "_RIB_mE", "_RNvC1a1fx",
                                "_RINvC1a1fLzzzzzzzzzzzzzz_E", "_RINvC1a1fL0_E", "_RINvC1a1fKe1_E"}) {
    EXPECT_EQ(demangle(bad), bad);
  }
}

TEST(Demangle, RustDoesNotExplode) {
  // Each tuple repeats the one before it twice.
  std::string bomb = "_RINvC1a1fTmmE";
  std::string reference = "8_";
  for (int i = 0; i < 60; ++i) bomb += "TB" + reference + "B" + reference + "E";
  bomb += "E";
  EXPECT_LE(demangle(bomb).size(), size_t{1} << 16);
  const std::string lifetimes = "_RNvC1a1fINvC1b1gFGzzzzzzzzz_EuE";  // more than could be counted
  EXPECT_EQ(demangle(lifetimes), lifetimes);
  const std::string deep = "_RINvC1a1f" + std::string(100000, 'S') + "hE";
  EXPECT_EQ(demangle(deep), deep);
}

}  // namespace
}  // namespace cgpu
