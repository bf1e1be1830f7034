// What simdjson's kernel of SSE4.2 uses of x86, by WebAssembly's instructions: most have one of the same meaning. Names and meanings
// are those of Intel's guide to intrinsics. SIMDe of Debian 12 has loops for the four that are used most.
#pragma once

#include <wasm_simd128.h>

using __m128i = v128_t;

inline __m128i _mm_loadu_si128(const __m128i *from) { return wasm_v128_load(from); }
inline void _mm_storeu_si128(__m128i *to, __m128i a) { wasm_v128_store(to, a); }

inline __m128i _mm_setzero_si128() { return wasm_i64x2_const_splat(0); }
inline __m128i _mm_set1_epi8(char a) { return wasm_i8x16_splat(a); }
#define _mm_setr_epi8 wasm_i8x16_make
#define _mm_setr_epi16 wasm_i16x8_make
inline __m128i _mm_set_epi32(int d, int c, int b, int a) { return wasm_i32x4_make(a, b, c, d); }
inline __m128i _mm_set_epi64x(long long b, long long a) { return wasm_i64x2_make(a, b); }
inline int _mm_cvtsi128_si32(__m128i a) { return wasm_i32x4_extract_lane(a, 0); }
inline long long _mm_cvtsi128_si64(__m128i a) { return wasm_i64x2_extract_lane(a, 0); }

inline __m128i _mm_and_si128(__m128i a, __m128i b) { return wasm_v128_and(a, b); }
inline __m128i _mm_andnot_si128(__m128i a, __m128i b) { return wasm_v128_andnot(b, a); }
inline __m128i _mm_or_si128(__m128i a, __m128i b) { return wasm_v128_or(a, b); }
inline __m128i _mm_xor_si128(__m128i a, __m128i b) { return wasm_v128_xor(a, b); }
inline int _mm_testz_si128(__m128i a, __m128i b) { return !wasm_v128_any_true(wasm_v128_and(a, b)); }
inline int _mm_movemask_epi8(__m128i a) { return static_cast<int>(wasm_i8x16_bitmask(a)); }
inline __m128i _mm_cmpeq_epi8(__m128i a, __m128i b) { return wasm_i8x16_eq(a, b); }
inline __m128i _mm_cmpgt_epi8(__m128i a, __m128i b) { return wasm_i8x16_gt(a, b); }

inline __m128i _mm_add_epi8(__m128i a, __m128i b) { return wasm_i8x16_add(a, b); }
inline __m128i _mm_adds_epu8(__m128i a, __m128i b) { return wasm_u8x16_add_sat(a, b); }
inline __m128i _mm_sub_epi8(__m128i a, __m128i b) { return wasm_i8x16_sub(a, b); }
inline __m128i _mm_subs_epu8(__m128i a, __m128i b) { return wasm_u8x16_sub_sat(a, b); }
inline __m128i _mm_max_epi8(__m128i a, __m128i b) { return wasm_i8x16_max(a, b); }
inline __m128i _mm_max_epu8(__m128i a, __m128i b) { return wasm_u8x16_max(a, b); }
inline __m128i _mm_min_epi8(__m128i a, __m128i b) { return wasm_i8x16_min(a, b); }
inline __m128i _mm_min_epu8(__m128i a, __m128i b) { return wasm_u8x16_min(a, b); }
inline __m128i _mm_slli_epi16(__m128i a, int bits) { return wasm_i16x8_shl(a, static_cast<unsigned>(bits)); }
inline __m128i _mm_srli_epi16(__m128i a, int bits) { return wasm_u16x8_shr(a, static_cast<unsigned>(bits)); }

inline __m128i _mm_packus_epi32(__m128i a, __m128i b) { return wasm_u16x8_narrow_i32x4(a, b); }
inline __m128i _mm_madd_epi16(__m128i a, __m128i b) { return wasm_i32x4_dot_i16x8(a, b); }
// Unsigned bytes by signed ones, neighbours added.
inline __m128i _mm_maddubs_epi16(__m128i a, __m128i b) {
  const v128_t low = wasm_i16x8_mul(wasm_u16x8_extend_low_u8x16(a), wasm_i16x8_extend_low_i8x16(b));
  const v128_t high = wasm_i16x8_mul(wasm_u16x8_extend_high_u8x16(a), wasm_i16x8_extend_high_i8x16(b));
  return wasm_i16x8_add_sat(wasm_i16x8_shuffle(low, high, 0, 2, 4, 6, 8, 10, 12, 14),
                            wasm_i16x8_shuffle(low, high, 1, 3, 5, 7, 9, 11, 13, 15));
}

// A place of 16 to 127 is taken modulo 16, one of 128 and more gives 0.
inline __m128i _mm_shuffle_epi8(__m128i a, __m128i places) {
  return wasm_i8x16_swizzle(a, wasm_v128_and(places, wasm_u8x16_const_splat(0x8f)));
}
#define _mm_alignr_epi8(a, b, n)                                                                                              \
  wasm_i8x16_shuffle(b, a, (n), (n) + 1, (n) + 2, (n) + 3, (n) + 4, (n) + 5, (n) + 6, (n) + 7, (n) + 8, (n) + 9, (n) + 10,    \
                     (n) + 11, (n) + 12, (n) + 13, (n) + 14, (n) + 15)

inline int _popcnt64(long long bits) { return __builtin_popcountll(static_cast<unsigned long long>(bits)); }

// The product without carries, for a factor of all ones, which is the only one that simdjson has: each bit becomes the parity of those
// up to it.
inline __m128i _mm_clmulepi64_si128(__m128i bits, [[maybe_unused]] __m128i ones, [[maybe_unused]] int halves) {
  auto parity = static_cast<unsigned long long>(_mm_cvtsi128_si64(bits));
  for (int shift = 1; shift < 64; shift *= 2) parity ^= parity << shift;
  return _mm_set_epi64x(0, static_cast<long long>(parity));
}
