// What src/ uses of ISA-L's igzip, by zlib: ISA-L is fast by its assembly, which there is none of for WebAssembly. States can be
// copied, as ISA-L's can.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <new>

inline constexpr int ISAL_GZIP = 1;
inline constexpr int ISAL_ZLIB = 3;
enum isal_block_state { ISAL_BLOCK_NEW_HDR, ISAL_BLOCK_FINISH };

struct inflate_state {
  uint8_t* next_in = nullptr;
  uint32_t avail_in = 0;
  uint8_t* next_out = nullptr;
  uint32_t avail_out = 0;
  int crc_flag = ISAL_GZIP;
  isal_block_state block_state = ISAL_BLOCK_NEW_HDR;

  inflate_state() = default;
  inflate_state(const inflate_state& other) { *this = other; }
  inflate_state& operator=(const inflate_state& other) {
    if (this == &other) return *this;
    if (is_open) inflateEnd(&stream);
    next_in = other.next_in;
    avail_in = other.avail_in;
    next_out = other.next_out;
    avail_out = other.avail_out;
    crc_flag = other.crc_flag;
    block_state = other.block_state;
    is_open = other.is_open;
    if (is_open && inflateCopy(&stream, const_cast<z_stream*>(&other.stream)) != Z_OK) throw std::bad_alloc();
    return *this;
  }
  ~inflate_state() {
    if (is_open) inflateEnd(&stream);
  }

  z_stream stream{};
  bool is_open = false;  // from the first byte on
};

/// A new text from the next byte on.
inline void isal_inflate_reset(inflate_state* state) {
  if (state->is_open) inflateEnd(&state->stream);
  state->is_open = false;
  state->block_state = ISAL_BLOCK_NEW_HDR;
}

inline void isal_inflate_init(inflate_state* state) {
  isal_inflate_reset(state);
  state->avail_in = 0;
  state->crc_flag = 0;
}

/// Negative where the data are damaged.
inline int isal_inflate(inflate_state* state) {
  constexpr int kGzip = 16;
  z_stream& stream = state->stream;
  if (!state->is_open) {
    stream = {};
    if (inflateInit2(&stream, state->crc_flag == ISAL_GZIP ? MAX_WBITS + kGzip : MAX_WBITS) != Z_OK) throw std::bad_alloc();
    state->is_open = true;
  }
  if (state->block_state == ISAL_BLOCK_FINISH) return 0;
  stream.next_in = state->next_in;
  stream.avail_in = state->avail_in;
  stream.next_out = state->next_out;
  stream.avail_out = state->avail_out;
  const int result = inflate(&stream, Z_NO_FLUSH);
  state->next_in = const_cast<uint8_t*>(stream.next_in);
  state->avail_in = stream.avail_in;
  state->next_out = stream.next_out;
  state->avail_out = stream.avail_out;
  if (result == Z_STREAM_END) state->block_state = ISAL_BLOCK_FINISH;
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  return result == Z_DATA_ERROR || result == Z_NEED_DICT || result == Z_STREAM_ERROR ? -1 : 0;
}

inline constexpr int IGZIP_GZIP = 1;
inline constexpr int ISAL_DEF_LVL1_DEFAULT = 1;  // bytes that a level asks for: zlib takes its own

struct isal_zstream {
  uint8_t* next_in = nullptr;
  uint32_t avail_in = 0;
  uint8_t* next_out = nullptr;
  uint32_t avail_out = 0;
  int end_of_stream = 0;
  int gzip_flag = 0;
  int level = 0;
  uint8_t* level_buf = nullptr;
  uint32_t level_buf_size = 0;

  isal_zstream() = default;
  isal_zstream(const isal_zstream&) = delete;
  isal_zstream& operator=(const isal_zstream&) = delete;
  ~isal_zstream() {
    if (is_open) deflateEnd(&stream);
  }

  z_stream stream{};
  bool is_open = false;
};

inline void isal_deflate_init(isal_zstream*) {}

inline void isal_deflate(isal_zstream* state) {
  constexpr int kGzip = 16;
  constexpr int kMemory = 8;  // zlib's default
  z_stream& stream = state->stream;
  if (!state->is_open) {
    const int bits = state->gzip_flag == IGZIP_GZIP ? MAX_WBITS + kGzip : -MAX_WBITS;
    if (deflateInit2(&stream, 1, Z_DEFLATED, bits, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
    state->is_open = true;
  }
  stream.next_in = state->next_in;
  stream.avail_in = state->avail_in;
  stream.next_out = state->next_out;
  stream.avail_out = state->avail_out;
  deflate(&stream, state->end_of_stream ? Z_FINISH : Z_NO_FLUSH);
  state->next_in = const_cast<uint8_t*>(stream.next_in);
  state->avail_in = stream.avail_in;
  state->next_out = stream.next_out;
  state->avail_out = stream.avail_out;
}
