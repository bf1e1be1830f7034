#include "base/decompress.h"

#include <gtest/gtest.h>

#include "base/test_file.h"

namespace cgpu {
namespace {

struct Codec {
  std::string (*compress)(std::string_view);
  std::optional<std::string> (*decompress)(std::string_view, size_t);
};
constexpr Codec kCodecs[] = {{test::zlib, decompress_zlib}, {test::zstd, decompress_zstd}};

TEST(Decompress, GivesBackWhatWasCompressed) {
  for (const Codec& codec : kCodecs) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{65536}, size_t{65537}, size_t{1000000}}) {
      std::string text;
      for (size_t i = 0; i < size; ++i) text.push_back(static_cast<char>(i * i >> 3));
      EXPECT_EQ(codec.decompress(codec.compress(text), size), text) << size;
      if (size > 0) {
        EXPECT_FALSE(codec.decompress(codec.compress(text), size - 1)) << "over the limit";
      }
    }
  }
}

TEST(Decompress, RefusesWhatIsDamaged) {
  for (const Codec& codec : kCodecs) {
    const std::string block = codec.compress("a text that is long enough to be worth the trouble, the trouble");
    for (size_t size = 0; size < block.size(); ++size) {
      EXPECT_FALSE(codec.decompress(std::string_view(block).substr(0, size), 1000)) << size;
    }
    EXPECT_FALSE(codec.decompress("\x0a\x0a\x0a\x0a", 1000));
    EXPECT_FALSE(codec.decompress("", 1000));
  }
}

}  // namespace
}  // namespace cgpu
