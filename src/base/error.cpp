#include "base/error.h"

namespace cgpu {

std::string one_line(const std::string& text) {
  std::string line;
  line.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // In UTF-8, the control characters beyond ASCII (U+0080 to U+009F) are a C2 and a byte from 80 to 9F.
    const bool second_set =
        byte == 0xc2 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80;
    if (second_set) ++i;
    if (text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
      line += ' ';
    } else {
      line += second_set || byte < 0x20 || byte == 0x7f ? '?' : text[i];
    }
  }
  return line;
}

}  // namespace cgpu
