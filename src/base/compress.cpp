#include "base/compress.h"

#include <zstd.h>

#include <new>

namespace cgpu {

std::string compress_zstd(std::string_view block) {
  constexpr int kLevel = 9;
  std::string frame(ZSTD_compressBound(block.size()), '\0');
  const size_t size = ZSTD_compress(frame.data(), frame.size(), block.data(), block.size(), kLevel);
  if (ZSTD_isError(size)) throw std::bad_alloc();  // the only thing that can be wrong with so much room
  frame.resize(size);
  return frame;
}

}  // namespace cgpu
