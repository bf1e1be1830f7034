#include "table/unicode.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <iterator>

namespace cgpu {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Sorted. Controls, and formatting that shows nothing but changes how its neighbours appear.
constexpr Range kInvisible[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x061C, 0x061C},   {0x115F, 0x1160},
    {0x17B4, 0x17B5}, {0x180E, 0x180E}, {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},
    {0x3164, 0x3164}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF},
};

bool is_invisible(char32_t point) {
  const Range* after = std::upper_bound(std::begin(kInvisible), std::end(kInvisible), point,
                                        [](char32_t value, const Range& range) { return value < range.first; });
  return after != std::begin(kInvisible) && point <= std::prev(after)->last;
}

size_t width_of(char32_t point) {
  constexpr char32_t kFirstCombining = 0x300;
  if (point < kFirstCombining) return 1;
  const auto code = static_cast<utf8proc_int32_t>(point);
  // Marks with a width of their own (Devanagari vowels, for one): utf8proc says 0, terminals show them.
  if (utf8proc_category(code) == UTF8PROC_CATEGORY_MC) return 1;
  return static_cast<size_t>(utf8proc_charwidth(code));
}

void append_escaped(std::string& out, char32_t point) {
  switch (point) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto value = static_cast<uint32_t>(point);
  const char* format = value < 0x80 ? "\\x{:02x}" : value < 0x10000 ? "\\u{:04x}" : "\\U{:08x}";
  fmt::format_to(std::back_inserter(out), fmt::runtime(format), value);
}

/// The shortest tail of `text` that leaves out at least `columns` columns, not beginning with a combining mark.
std::string_view tail_after(std::string_view text, size_t columns) {
  size_t skipped = 0;
  while (!text.empty()) {
    std::string_view rest = text;
    const size_t width = width_of(take_code_point(rest));
    if (skipped >= columns && width > 0) break;
    skipped += width;
    text = rest;
  }
  return text;
}

}  // namespace

char32_t take_code_point(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    text.remove_prefix(1);
    return lead;
  }
  // The second byte is bounded more closely after four of the leads: no overlong forms, no surrogates, no end past
  // U+10FFFF (table 3-7 of the standard).
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  const bool is_lead = lead >= 0xC2 && lead <= 0xF4;
  unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t point = lead & (0x7Fu >> length);
  size_t taken = 1;
  while (is_lead && taken < length && taken < text.size() && byte(taken) >= low && byte(taken) <= high) {
    point = point << 6 | (byte(taken) & 0x3Fu);
    low = 0x80;
    high = 0xBF;
    ++taken;
  }
  text.remove_prefix(taken);
  return is_lead && taken == length ? point : U'\uFFFD';
}

void append_utf8(std::string& out, char32_t point) {
  const auto append = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) {
    append(point);
  } else if (point < 0x800) {
    append(0xC0 | point >> 6);
    append(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    append(0xE0 | point >> 12);
    append(0x80 | (point >> 6 & 0x3F));
    append(0x80 | (point & 0x3F));
  } else {
    append(0xF0 | point >> 18);
    append(0x80 | (point >> 12 & 0x3F));
    append(0x80 | (point >> 6 & 0x3F));
    append(0x80 | (point & 0x3F));
  }
}

bool is_printable_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::string printable(std::string_view text) {
  if (is_printable_ascii(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char32_t point = take_code_point(text);
    if (is_invisible(point)) {
      append_escaped(out, point);
    } else {
      append_utf8(out, point);
    }
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out += printable(text.substr(0, end));
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

size_t display_width(std::string_view text) {
  if (is_printable_ascii(text)) return text.size();
  size_t width = 0;
  while (!text.empty()) width += width_of(take_code_point(text));
  return width;
}

std::string_view head_of_width(std::string_view text, size_t width) {
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view next = rest;
    const size_t step = width_of(take_code_point(next));
    if (step > width) break;
    width -= step;
    rest = next;
  }
  return text.substr(0, text.size() - rest.size());
}

std::string shorten(std::string_view text, size_t width) {
  constexpr std::string_view dots = "...";
  const size_t full = display_width(text);
  if (full <= width) return std::string(text);
  if (width < dots.size() + 2) return std::string(head_of_width(text, width));
  const size_t tail_width = (width - dots.size()) / 2;
  const size_t head_width = width - dots.size() - tail_width;
  std::string out(head_of_width(text, head_width));
  out += dots;
  out += tail_after(text, full - tail_width);
  return out;
}

}  // namespace cgpu
