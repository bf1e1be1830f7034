#include "base/credentials.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/ascii.h"
#include "base/contains.h"
#include "base/secret_rules.h"

namespace cgpu {

namespace {

constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
/// What separates words: also the zeros between the texts of an environment.
bool is_blank(char c) {
  return is_space(c) || c == '\v' || c == '\f' || c == '\0';
}
bool is_quote(char c) {
  return c == '"' || c == '\'' || c == '`';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

/// End of the run of token characters at `at`.
size_t word_end(std::string_view text, size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

enum CharacterClass : uint8_t { kWord = 1, kDash = 2, kSeparator = 4 };

constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    classes[static_cast<size_t>(c)] = is_word(static_cast<char>(c)) ? kWord : 0;
  }
  classes[static_cast<unsigned char>('-')] |= kDash;
  for (const char c : {':', '='}) classes[static_cast<unsigned char>(c)] |= kSeparator;
  return classes;
}();

constexpr size_t kLongestKey = 64;
constexpr size_t kLongestPassword = 512;  // of a URL

SecretKey kind_of_key(std::string_view key) {
  if (key.size() > kLongestKey) key.remove_prefix(key.size() - kLongestKey);
  return SecretRules::builtin().kind_of(key);
}

bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_digit(c) || c == '.' || (hexadecimal && lower(c) >= 'a' && lower(c) <= 'f');
  });
}

/// What stands for no value.
bool is_nothing(std::string_view value) {
  for (const char* nothing : {"", "null", "None", "none", "nullptr", "undefined", "(null)", "[]", "{}"}) {
    if (value == nothing) return true;
  }
  // Hidden already, by us or by others.
  return value.starts_with(kHiddenValue) || std::all_of(value.begin(), value.end(), [](char c) { return c == '*'; });
}

bool is_truth_value(std::string_view value) {
  for (const char* truth : {"true", "false", "True", "False"}) {
    if (value == truth) return true;
  }
  return false;
}

bool is_path(std::string_view value) {
  return value.starts_with('/') || value.starts_with('~') || value.starts_with('.') || value.starts_with('$') ||
         (value.size() > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/'));
}

/// Whether a key's value, quotes apart, is a secret.
bool is_secret_of(SecretKey kind, std::string_view value) {
  if (kind == SecretKey::open || is_nothing(value) || is_truth_value(value)) return false;
  if (kind == SecretKey::directory) return !is_path(value);
  if (kind != SecretKey::token) return true;
  const bool special = (value.front() == '<' && value.back() == '>') || (value.front() == '[' && value.back() == ']');
  return !special && !is_number(value);
}

bool is_password(SecretKey kind) {
  return kind == SecretKey::password || kind == SecretKey::directory;
}

bool has_digit(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_digit);
}

/// Finds the credentials of a text from its beginning to its end.
class Search {
 public:
  /// `code`: the text is a program's source.
  explicit Search(std::string_view text, bool code = false) : text_(text), code_(code) {}

  bool run() {
    SecretRules::builtin().find(text_, [this](size_t begin, size_t end, std::string_view key) {
      const std::string_view value = text_.substr(begin, end - begin);
      if (key.empty() ? !is_nothing(value) : is_secret_of(kind_of_key(key), value)) parts_.push_back({begin, end, {}});
    });
    bool in_word = false;
    while (at_ < text_.size()) {
      const uint8_t kind = kClasses[static_cast<unsigned char>(text_[at_])];
      const size_t found = parts_.size();
      if ((kind & kDash) != 0 && !in_word) {
        look_at_option();
      } else if ((kind & kSeparator) != 0) {
        look_at_separator();
      }
      if (parts_.size() == found) {
        in_word = (kind & kWord) != 0;
        ++at_;
      } else {
        in_word = false;
      }
    }
    return !parts_.empty();
  }

  /// The text with kHiddenValue in the places of what was found, and their number.
  size_t show(std::string& shown) {
    std::sort(parts_.begin(), parts_.end(),
              [](const Part& a, const Part& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
    shown.clear();
    size_t copied = 0;
    size_t number = 0;
    for (size_t i = 0; i < parts_.size(); ++number) {
      Part part = parts_[i];
      for (++i; i < parts_.size() && parts_[i].begin <= part.end; ++i) part.end = std::max(part.end, parts_[i].end);
      const std::string_view hidden = text_.substr(part.begin, part.end - part.begin);
      shown.append(text_.substr(copied, part.begin - copied))
          .append(part.quote)
          .append(kHiddenValue)
          .append(part.quote);
      if (code_) shown.append(static_cast<size_t>(std::count(hidden.begin(), hidden.end(), '\n')), '\n');
      copied = part.end;
    }
    shown.append(text_.substr(copied));
    return number;
  }

 private:
  struct Part {
    size_t begin, end;
    std::string_view quote;  // put around what is shown instead
  };

  /// Goes on behind `end`.
  void hide(size_t begin, size_t end, std::string_view quote = {}) {
    parts_.push_back({begin, end, quote});
    at_ = end;
  }

  /// Hides a value without quotes, and goes on inside of it: in "PASSWORD=a;Authorization: Basic b" a further key
  /// follows. A password may have blanks: it ends before what looks like something else.
  void hide_bare(SecretKey kind, size_t begin, size_t end) {
    parts_.push_back({begin, is_password(kind) ? end_of_phrase(end) : end, {}});
    at_ = begin;
  }

  size_t end_of_phrase(size_t end) {
    while (end + 1 < text_.size() && text_[end] == ' ') {
      const size_t next = end + 1;
      const size_t end_of_word = end_of_bare(next);
      const std::string_view word = text_.substr(next, end_of_word - next);
      if (word.empty() || word.front() == '-' || word.find_first_of("=:/@\\()[]{}<>|&") != std::string_view::npos)
        break;
      end = end_of_word;
    }
    return end;
  }

  /// --KEY VALUE, also as two texts of a list; --KEY=VALUE is found at its sign.
  void look_at_option() {
    const size_t begin_of_key = at_ + (text_.substr(at_, 2) == "--" ? 2 : 1);
    if (begin_of_key >= text_.size() || !is_word(text_[begin_of_key]) || text_[begin_of_key] == '-') return;
    const size_t end_of_key = word_end(text_, begin_of_key);
    if (end_of_key == text_.size() || end_of_key - at_ > kLongestKey) return;
    const char next = text_[end_of_key];
    if (!is_blank(next) && !is_quote(next) && next != '\\' && next != ',') return;
    const SecretKey kind = kind_of_key(text_.substr(begin_of_key, end_of_key - begin_of_key));
    if (kind == SecretKey::open || kind == SecretKey::environment) return;
    constexpr size_t kMostBetween = 16;
    size_t begin = end_of_key;
    while (begin < text_.size() && begin - end_of_key < kMostBetween &&
           (is_blank(text_[begin]) || is_quote(text_[begin]) || text_[begin] == '\\' || text_[begin] == ',')) {
      ++begin;
    }
    const bool quoted = is_quote(text_[begin - 1]);
    size_t end = quoted ? std::min(text_.find(text_[begin - 1], begin), text_.size()) : end_of_bare(begin);
    while (quoted && end > begin && text_[end - 1] == '\\') --end;
    const std::string_view value = text_.substr(begin, end - begin);
    if (value.starts_with("--") || !is_secret_of(kind, value)) return;
    if (quoted) return hide(begin, end);
    hide_bare(kind, begin, end);
  }

  /// scheme://user:password@host. A password may have / # ? and @, so it ends at the last @; but a port is none.
  void look_at_url() {
    const size_t begin = at_ + 3;
    const size_t end_of_host = std::min(text_.find_first_of("/ \"'\\?#", begin), text_.size());
    const std::string_view host = text_.substr(begin, end_of_host - begin);
    const size_t colon = host.find(':');
    if (colon == std::string_view::npos) return;
    if (host.find('@') == std::string_view::npos && (is_number(host.substr(colon + 1)) || host.starts_with('[')))
      return;
    const size_t password = begin + colon + 1;
    const std::string_view rest = text_.substr(password, std::min(end_of_bare(password) - password, kLongestPassword));
    const size_t sign = rest.rfind('@');
    if (sign != std::string_view::npos && !is_nothing(rest.substr(0, sign))) hide(password, password + sign);
  }

  void look_at_separator() {
    const bool colon = text_[at_] == ':';
    if (colon && text_.substr(at_, 3) == "://") return look_at_url();
    if (at_ == 0) return;
    const char before = text_[at_ - 1];
    if (!is_word(before) && !is_quote(before) && before != ' ') return;
    if (at_ + 1 < text_.size() && text_[at_ + 1] == text_[at_]) {  // "::" and "==" join names
      ++at_;
      return;
    }

    size_t end_of_key = at_;
    while (end_of_key > 0 && at_ - end_of_key < 2 && text_[end_of_key - 1] == ' ') --end_of_key;
    size_t quote = end_of_key;
    if (quote > 0 && is_quote(text_[quote - 1])) {
      --quote;
      while (quote > 0 && end_of_key - quote < 8 && text_[quote - 1] == '\\') --quote;
    }
    const std::string_view quotes = text_.substr(quote, end_of_key - quote);
    size_t begin_of_key = quote;
    while (begin_of_key > 0 && quote - begin_of_key < kLongestKey && is_word(text_[begin_of_key - 1])) --begin_of_key;
    if (begin_of_key == quote) return;
    const SecretKey kind = kind_of_key(text_.substr(begin_of_key, quote - begin_of_key));
    if (kind != SecretKey::open) look_at_value(kind, colon, quotes);
  }

  /// What follows a separator behind a key that names a secret.
  void look_at_value(SecretKey kind, bool colon, std::string_view quotes_of_key) {
    size_t begin = at_ + 1;
    if (!colon && begin < text_.size() && text_[begin] == '>') ++begin;  // "password => x"
    while (begin < text_.size() && begin - at_ < 4 && text_[begin] == ' ') ++begin;
    if (begin == text_.size()) return;
    if (code_ && !is_quote(text_[begin])) return;
    if (text_[begin] == '{' || text_[begin] == '[') {
      const size_t end = end_of_brackets(begin);
      const std::string_view value = text_.substr(begin, end - begin);
      if (is_nothing(value) || (kind == SecretKey::token && end - begin < 16)) return;
      return hide(begin, end, quotes_of_key);
    }
    if (kind == SecretKey::environment) return;

    size_t quote = begin;
    while (quote < text_.size() && quote - begin < 8 && text_[quote] == '\\') ++quote;
    if (quote < text_.size() && is_quote(text_[quote])) {
      const size_t end = end_of_quoted(quote + 1, text_[quote], quote - begin);
      if (is_secret_of(kind, text_.substr(quote + 1, end - quote - 1))) hide(quote + 1, end);
      return;
    }
    if (colon && !quotes_of_key.empty()) {  // a number or word of JSON
      const size_t end = std::min(text_.find_first_of(",]} \t\r\n", begin), text_.size());
      if (is_secret_of(kind, text_.substr(begin, end - begin))) hide(begin, end, quotes_of_key);
      return;
    }
    const size_t end = end_of_bare(begin);
    std::string_view value = text_.substr(begin, end - begin);
    while (!value.empty() && std::string_view(",;)]}").find(value.back()) != std::string_view::npos)
      value.remove_suffix(1);
    if (!is_secret_of(kind, value)) return;
    // Short words also occur in code and in sentences: "[with Token = int]", "secret.py: forward".
    const bool blank = text_[at_ - 1] == ' ' || text_[at_ + 1] == ' ';
    const bool enough = is_password(kind) || has_digit(value) || value.size() >= (colon ? 16U : 8U) || !blank;
    const bool code = kind == SecretKey::token && (contains(value, "::") || contains(value, "("));
    if (enough && !code) hide_bare(kind, begin, end);
  }

  /// Of a value without quotes: a backslash may be before a blank of it ("a\ b"), or before the quote that ends the
  /// text around it. O(1) inside of the value that was asked for last.
  size_t end_of_bare(size_t at) {
    if (at >= bare_begin_ && at < bare_end_) return bare_end_;
    bare_begin_ = at;
    while (at < text_.size() && !is_blank(text_[at]) && !is_quote(text_[at])) {
      size_t next = at;
      while (next < text_.size() && text_[next] == '\\') ++next;
      if (next != at && (next == text_.size() || is_quote(text_[next]))) break;
      at = next + 1;
    }
    return bare_end_ = at;
  }

  /// Of a quoted text in a text whose quotes have that many backslashes before them.
  size_t end_of_quoted(size_t at, char quote, size_t backslashes) const {
    size_t before = 0;
    for (; at < text_.size(); ++at) {
      if (text_[at] == quote && before == backslashes) return at - backslashes;
      before = text_[at] == '\\' ? before + 1 : 0;
    }
    return text_.size();
  }

  /// Behind the bracket that closes the one at `at`; brackets inside of quotes count, since hiding more does no harm.
  size_t end_of_brackets(size_t at) const {
    int64_t depth = 0;
    for (; at < text_.size(); ++at) {
      depth += text_[at] == '{' || text_[at] == '[';
      depth -= text_[at] == '}' || text_[at] == ']';
      if (depth == 0) return at + 1;
    }
    return text_.size();
  }

  std::string_view text_;
  bool code_;
  size_t at_ = 0;
  size_t bare_begin_ = 0;
  size_t bare_end_ = 0;
  std::vector<Part> parts_;
};

/// Most values are numbers and lists of them; without a branch, many characters are looked at at once.
bool has_letters(std::string_view text) {
  bool letters = false;
  for (const char c : text) letters |= ((c | 0x20) >= 'a') & ((c | 0x20) <= 'z');
  return letters;
}

}  // namespace

bool is_secret_key(std::string_view key) {
  return kind_of_key(key) != SecretKey::open;
}

bool is_secret_value_of(std::string_view key, std::string_view value) {
  return is_secret_of(kind_of_key(key), value);
}

bool is_secret_value(std::string_view value) {
  return has_letters(value) && Search(value).run();
}

size_t hide_secrets(std::string_view text, std::string& shown) {
  if (!has_letters(text)) return 0;
  Search search(text);
  return search.run() ? search.show(shown) : 0;
}

size_t hide_secrets_in_code(std::string_view code, std::string& shown) {
  Search search(code, true);
  return search.run() ? search.show(shown) : 0;
}

}  // namespace cgpu
