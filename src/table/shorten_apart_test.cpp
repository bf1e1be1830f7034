#include "table/shorten_apart.h"

#include <gtest/gtest.h>

#include "table/unicode.h"

namespace cgpu {
namespace {

using Texts = std::vector<std::string>;

TEST(ShortenApart, IsShortenWhereTheResultsDiffer) {
  const std::string a = "first_kernel_of_the_attention_layer_forward";
  const std::string b = "second_kernel_of_the_attention_layer_forward";
  EXPECT_EQ(shorten_apart({a, b, "c"}, 24), (Texts{shorten(a, 24), shorten(b, 24), "c"}));
}

TEST(ShortenApart, ShowsWhereNamesBeginToDiffer) {
  const std::string head = "Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_";
  const std::string tail = "_MI16x16x1_SN_LDSB1_AFC1_AFEM8_WSGRB0_WS64_WG32_8_1";
  const Texts shown = shorten_apart({head + "MT128x64x32" + tail, head + "MT256x96x64" + tail, "attn_fwd"}, 40);
  EXPECT_EQ(shown, (Texts{"Cijk_Alik_B...MT128x64x32_MI16x16x1_S...", "Cijk_Alik_B...MT256x96x64_MI16x16x1_S...",
                          "attn_fwd"}));
}

TEST(ShortenApart, SetsThreeApartThatDifferAtTwoPlaces) {
  const std::string filler(40, 'x');
  const Texts shown = shorten_apart({"name<" + filler + "(1, " + filler + "(a" + filler + "end>",
                                     "name<" + filler + "(1, " + filler + "(b" + filler + "end>",
                                     "name<" + filler + "(2, " + filler + "(a" + filler + "end>"},
                                    30);
  EXPECT_EQ(shown[0].substr(8), "...a" + std::string(15, 'x') + "...") << shown[0];
  EXPECT_NE(shown[0], shown[1]);
  EXPECT_NE(shown[1], shown[2]);
  EXPECT_NE(shown[0], shown[2]);
}

TEST(ShortenApart, KeepsTheIndentationOfTrees) {
  const std::string indent(14, ' ');
  const Texts shown = shorten_apart({indent + "at::native::" + std::string(40, 'x') + "<1>" + std::string(40, 'y'),
                                     indent + "at::native::" + std::string(40, 'x') + "<2>" + std::string(40, 'y')},
                                    40);
  EXPECT_EQ(shown[0], indent + "at::...1>" + std::string(14, 'y') + "...");
  EXPECT_NE(shown[0], shown[1]);
}

TEST(ShortenApart, FitsAndKeepsWholeCharacters) {
  Texts names;
  for (int i = 0; i < 6; ++i) {
    names.push_back("\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u00e9" + std::to_string(i) +
                    "\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d\u4e2d");
  }
  for (size_t width = 0; width < 50; ++width) {
    const Texts shown = shorten_apart(names, width);
    for (const std::string& name : shown) {
      EXPECT_LE(display_width(name), width);
      EXPECT_EQ(printable(name), name);
    }
    if (width >= 20) {
      EXPECT_NE(shown[0], shown[5]) << width;
    }
  }
}

}  // namespace
}  // namespace cgpu
