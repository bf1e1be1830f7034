// Small helpers on the raw text of JSON.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// The inside of a JSON string with its escapes resolved. Bad escapes stay as they are, lone surrogates become U+FFFD.
std::string unescape_json(std::string_view inside);

/// `text` as valid UTF-8: bytes that are not become U+FFFD.
std::string valid_utf8(std::string_view text);

/// White space of JSON.
inline bool is_json_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
/// Without white space at both ends.
std::string_view trim_json(std::string_view text);
/// Takes `token` from the beginning of a text, with the white space before it; false, and the text stays, where it
/// begins with another one.
bool take_json(std::string_view& text, std::string_view token);
/// The inside of a JSON string token, any other token as it is.
std::string_view unquote_json(std::string_view token);
/// End (behind the closing brace) of the object that begins at `begin`, minding strings; npos where it does not end
/// within `limit` bytes.
size_t end_of_json_object(std::string_view text, size_t begin, size_t limit);

}  // namespace cgpu
