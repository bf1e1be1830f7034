// Text of unknown origin made safe to show: UTF-8 decoding, escapes for what must not reach a terminal, and widths.
//
// Names in a profile may hold anything: broken UTF-8, terminal escapes, marks that turn the direction of writing.
// Everything here is O(length). Widths are those of utf8proc: 2 for East Asian wide characters and emoji, 0 for
// combining marks, 1 for the rest.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cgpu {

/// Takes the first code point off `text`, which must not be empty. Bytes that are not UTF-8 count as U+FFFD, one for
/// each maximal part of a sequence (The Unicode Standard, section 3.9).
char32_t take_code_point(std::string_view& text);

void append_utf8(std::string& out, char32_t point);

/// Whether every byte is from U+0020 to U+007E: the short way for nearly every text.
bool is_printable_ascii(std::string_view text);

/// `text` as valid UTF-8 on one line with nothing invisible in it: control characters, direction marks and other
/// invisible formatting are written as \n, \x1b or \u202e; what is not UTF-8 becomes U+FFFD.
std::string printable(std::string_view text);

/// The same of a text of several lines, which stay lines.
std::string printable_lines(std::string_view text);

/// Terminal columns of a text that is printable.
size_t display_width(std::string_view text);

/// The longest head of `text` that is at most `width` columns wide.
std::string_view head_of_width(std::string_view text, size_t width);

/// `text`, which is printable, in at most `width` columns: its head and its tail, with "..." between them.
std::string shorten(std::string_view text, size_t width);

}  // namespace cgpu
