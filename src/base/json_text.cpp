#include "base/json_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cgpu {

namespace {

void append_utf8(std::string& out, uint32_t c) {
  const auto byte = [&](uint32_t b) { out.push_back(static_cast<char>(b)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xc0 | (c >> 6));
    byte(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    byte(0xe0 | (c >> 12));
    byte(0x80 | ((c >> 6) & 0x3f));
    byte(0x80 | (c & 0x3f));
  } else {
    byte(0xf0 | (c >> 18));
    byte(0x80 | ((c >> 12) & 0x3f));
    byte(0x80 | ((c >> 6) & 0x3f));
    byte(0x80 | (c & 0x3f));
  }
}

constexpr uint32_t kReplacement = 0xfffd;

/// Four hex digits at `at`, or -1.
int32_t hex4(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return -1;
  int32_t value = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/// Length of the well-formed UTF-8 sequence at `at` (Unicode, table 3-7), 0 where there is none.
size_t sequence_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) -> unsigned { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(at + 1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned low = first == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : 0xbf;
    return follows(at + 1, low, high) && follows(at + 2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const unsigned low = first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xf4 ? 0x8f : 0xbf;
    return follows(at + 1, low, high) && follows(at + 2) && follows(at + 3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string unescape_json(std::string_view inside) {
  std::string out;
  out.reserve(inside.size());
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      out.push_back(inside[i]);
      continue;
    }
    switch (inside[++i]) {
      case 'n':
        out.push_back('\n');
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 'b':
        out.push_back('\b');
        break;
      case 'f':
        out.push_back('\f');
        break;
      case '"':
      case '\\':
      case '/':
        out.push_back(inside[i]);
        break;
      case 'u': {
        const int32_t unit = hex4(inside, i + 1);
        if (unit < 0) {
          out += "\\u";
          break;
        }
        i += 4;
        const bool high = unit >= 0xd800 && unit < 0xdc00;
        const int32_t low =
            high && i + 2 < inside.size() && inside[i + 1] == '\\' && inside[i + 2] == 'u' ? hex4(inside, i + 3) : -1;
        if (high && low >= 0xdc00 && low < 0xe000) {
          append_utf8(out, static_cast<uint32_t>(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)));
          i += 6;
        } else {
          append_utf8(out, unit >= 0xd800 && unit < 0xe000 ? kReplacement : static_cast<uint32_t>(unit));
        }
        break;
      }
      default:
        out.push_back('\\');
        out.push_back(inside[i]);
    }
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  size_t copied = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequence_length(text, i);
    if (length > 0) {
      i += length;
      continue;
    }
    out.append(text.substr(copied, i - copied));
    append_utf8(out, kReplacement);
    copied = ++i;
  }
  return out.append(text.substr(copied));
}

std::string_view trim_json(std::string_view text) {
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

bool take_json(std::string_view& text, std::string_view token) {
  const std::string_view rest = trim_json(text);
  if (!rest.starts_with(token)) return false;
  text = rest.substr(token.size());
  return true;
}

std::string_view unquote_json(std::string_view token) {
  const bool quoted = token.size() >= 2 && token.front() == '"' && token.back() == '"';
  return quoted ? token.substr(1, token.size() - 2) : token;
}

size_t end_of_json_object(std::string_view text, size_t begin, size_t limit) {
  const size_t end = std::min(text.size(), begin + std::min(limit, text.size()));
  int depth = 0;
  bool in_string = false;
  for (size_t i = begin; i < end; ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace cgpu
