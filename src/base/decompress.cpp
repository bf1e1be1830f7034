#include "base/decompress.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace cgpu {

namespace {

constexpr size_t kLeastRoom = size_t{64} << 10;

/// Room for more output: doubled, up to the limit and one byte, which nothing may reach.
bool grow(std::string& out, size_t limit) {
  if (out.size() > limit) return false;
  out.resize(std::min(std::max(kLeastRoom, 2 * out.size()), limit + 1));
  return true;
}

}  // namespace

std::optional<std::string> decompress_zlib(std::string_view block, size_t limit) {
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  state->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(block.data()));
  state->avail_in = static_cast<uint32_t>(std::min<size_t>(block.size(), UINT32_MAX));
  std::string out;
  size_t done = 0;
  while (state->block_state != ISAL_BLOCK_FINISH) {
    if (done == out.size() && !grow(out, limit)) return std::nullopt;
    const auto room = static_cast<uint32_t>(std::min<size_t>(out.size() - done, size_t{1} << 30));
    state->next_out = reinterpret_cast<uint8_t*>(out.data()) + done;
    state->avail_out = room;
    if (isal_inflate(state.get()) < 0) return std::nullopt;
    const size_t got = room - state->avail_out;
    done += got;
    if (got == 0 && state->avail_in == 0 && state->block_state != ISAL_BLOCK_FINISH) return std::nullopt;  // cut off
  }
  if (done > limit) return std::nullopt;
  out.resize(done);
  return out;
}

std::optional<std::string> decompress_zstd(std::string_view block, size_t limit) {
  // Making one asks the processor what it can do: on a virtual machine that takes longer than many a block.
  thread_local const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                                       ZSTD_freeDStream);
  ZSTD_DCtx_reset(stream.get(), ZSTD_reset_session_only);
  ZSTD_inBuffer in{block.data(), block.size(), 0};
  std::string out;
  size_t done = 0;
  for (;;) {
    if (done == out.size() && !grow(out, limit)) return std::nullopt;
    ZSTD_outBuffer to{out.data(), out.size(), done};
    const size_t used = in.pos;
    const size_t result = ZSTD_decompressStream(stream.get(), &to, &in);
    if (ZSTD_isError(result)) return std::nullopt;
    const bool stuck = in.pos == used && to.pos == done;
    done = to.pos;
    if (result == 0 && in.pos == in.size) break;
    if (stuck) return std::nullopt;  // cut off
  }
  if (done > limit) return std::nullopt;
  out.resize(done);
  return out;
}

}  // namespace cgpu
