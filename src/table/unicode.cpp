#include "table/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace cgpu {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Sorted. East Asian Width W and F of Unicode 15, neighbouring blocks joined.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x16FE0, 0x18CFF}, {0x18D00, 0x18D08}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF},
    {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F265}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
    {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

// Sorted. The blocks of combining marks that are in wide use, variation selectors and the zero-width joiners.
constexpr Range kCombining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x05BF, 0x05BF}, {0x05C1, 0x05C2},
    {0x05C4, 0x05C5}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670}, {0x06D6, 0x06DC},
    {0x06DF, 0x06E4}, {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1ACE}, {0x1DC0, 0x1DFF}, {0x200C, 0x200D},
    {0x20D0, 0x20F0}, {0x302A, 0x302D}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};

// Sorted. Controls, and formatting that shows nothing but changes how its neighbours appear.
constexpr Range kInvisible[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x061C, 0x061C},   {0x115F, 0x1160},
    {0x17B4, 0x17B5}, {0x180E, 0x180E}, {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},
    {0x3164, 0x3164}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF},
};

template <size_t size>
bool contains(const Range (&ranges)[size], char32_t point) {
  const Range* after = std::upper_bound(std::begin(ranges), std::end(ranges), point,
                                        [](char32_t value, const Range& range) { return value < range.first; });
  return after != std::begin(ranges) && point <= std::prev(after)->last;
}

size_t width_of(char32_t point) {
  if (point < 0x300) return 1;
  if (contains(kCombining, point)) return 0;
  return contains(kWide, point) ? 2 : 1;
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
    if (contains(kInvisible, point)) {
      append_escaped(out, point);
    } else {
      append_utf8(out, point);
    }
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
