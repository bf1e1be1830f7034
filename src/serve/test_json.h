// For tests: whether a text is one valid JSON document (RFC 8259) in valid UTF-8.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "base/json_text.h"

namespace cgpu::test {

class JsonCheck {
 public:
  static bool is_valid(std::string_view text) {
    JsonCheck check{text};
    return valid_utf8(text) == text && check.value() && check.rest().empty();
  }

 private:
  explicit JsonCheck(std::string_view text) : text_(text) {}

  std::string_view rest() {
    while (!text_.empty() && is_json_space(text_.front())) text_.remove_prefix(1);
    return text_;
  }
  bool take(char wanted) {
    if (!rest().starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view wanted) {
    if (!rest().starts_with(wanted)) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') continue;
      if (text_.empty()) return false;
      const char escaped = text_.front();
      text_.remove_prefix(1);
      if (std::string_view("\"\\/bfnrtu").find(escaped) == std::string_view::npos) return false;
    }
    return false;
  }
  bool number() {
    const size_t end = std::min(rest().find_first_not_of("+-.0123456789eE"), text_.size());
    if (end == 0) return false;
    text_.remove_prefix(end);
    return true;
  }
  bool list(char end, bool members) {
    if (take(end)) return true;
    do {
      if (members && (!string() || !take(':'))) return false;
      if (!value()) return false;
    } while (take(','));
    return take(end);
  }
  bool value() {
    if (take('{')) return list('}', true);
    if (take('[')) return list(']', false);
    return rest().starts_with('"') ? string() : word("true") || word("false") || word("null") || number();
  }

  std::string_view text_;
};

}  // namespace cgpu::test
