// The keys of events as integers: a JSON key is compared by one load and one switch instead of a chain of string
// compares.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace cgpu::trace_event {

/// The first eight characters of a key, shorter ones filled up with zeros.
constexpr uint64_t packed(std::string_view key) {
  uint64_t word = 0;
  for (size_t i = 0; i < key.size() && i < 8; ++i) {
    word |= static_cast<uint64_t>(static_cast<unsigned char>(key[i])) << (8 * i);
  }
  return word;
}

/// The same of the key at `text`, which ends with a quote; eight bytes must be readable. Little-endian machines.
inline uint64_t packed_at(const char* text) {
  uint64_t word = 0;
  std::memcpy(&word, text, sizeof(word));
  const uint64_t quotes = word ^ 0x2222222222222222u;
  const uint64_t zero_bytes = (quotes - 0x0101010101010101u) & ~quotes & 0x8080808080808080u;
  if (zero_bytes == 0) return word;
  const int length = __builtin_ctzll(zero_bytes) / 8;  // the lowest one is exact
  return word & ((uint64_t{1} << (8 * length)) - 1);
}

/// Whether the key at `text` is `key`. As many bytes as `key` has, and a quote, must be readable.
inline bool is_key(const char* text, std::string_view key) {
  return std::memcmp(text, key.data(), key.size()) == 0 && text[key.size()] == '"';
}

}  // namespace cgpu::trace_event
