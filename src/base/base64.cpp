#include "base/base64.h"

#include <cstddef>
#include <cstdint>

namespace cgpu {

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](size_t i) { return at + i < bytes.size() ? static_cast<uint8_t>(bytes[at + i]) : 0U; };
    const uint32_t bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (size_t i = 0; i < 4; ++i) text += at + i > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * i) & 63];
  }
  return text;
}

}  // namespace cgpu
