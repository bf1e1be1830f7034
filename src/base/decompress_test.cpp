#include "base/decompress.h"

#include <gtest/gtest.h>

#include "base/test_file.h"

namespace cgpu {
namespace {

std::string zlib(std::string_view text) {
  std::string out(text.size() + text.size() / 8 + 4096, '\0');
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_ZLIB;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uint32_t>(text.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uint32_t>(out.size());
  if (isal_deflate(&stream) != COMP_OK) throw std::runtime_error("deflate failed");
  out.resize(out.size() - stream.avail_out);
  return out;
}

struct Codec {
  std::string (*compress)(std::string_view);
  std::optional<std::string> (*decompress)(std::string_view, size_t);
};
constexpr Codec kCodecs[] = {{zlib, decompress_zlib}, {test::zstd, decompress_zstd}};

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
