// Blocks of bytes that other files carry compressed: zlib (as in PNG or gzip, with zlib's header) and zstd frames.
// For whole files, see text_source.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cgpu {

/// What a block decompresses to; nothing where it is damaged, cut off, or larger than `limit`. O(size of the result).
std::optional<std::string> decompress_zlib(std::string_view block, size_t limit);
std::optional<std::string> decompress_zstd(std::string_view block, size_t limit);

}  // namespace cgpu
