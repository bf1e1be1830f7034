#include "base/credentials.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/ascii.h"
#include "base/contains.h"

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

struct Prefix {
  std::string_view text;
  size_t least;  // characters of the whole token
  /// What follows is letters and digits alone: "hf_" and "npm_" also begin names in snake_case.
  bool plain = false;
};

// Prefixes of tokens as their issuers document them.
constexpr std::array kPrefixes{
    Prefix{"hf_", 20, true},  Prefix{"ghp_", 20, true}, Prefix{"gho_", 20, true},  Prefix{"ghu_", 20, true},
    Prefix{"ghs_", 20, true}, Prefix{"ghr_", 20, true}, Prefix{"github_pat_", 30}, Prefix{"glpat-", 20},
    Prefix{"sk-", 20},        Prefix{"AKIA", 20, true}, Prefix{"ASIA", 20, true},  Prefix{"AIza", 35},
    Prefix{"xoxb-", 20},      Prefix{"xoxp-", 20},      Prefix{"xoxa-", 20},       Prefix{"npm_", 30, true},
    Prefix{"pypi-", 30},      Prefix{"dckr_pat_", 20},  Prefix{"wandb_v1_", 20},   Prefix{"nvapi-", 20},
    Prefix{"ya29.", 5},
};
constexpr std::string_view kWebToken = "eyJ";  // `{"` in base64
constexpr std::string_view kBearer = "bearer ";
constexpr std::string_view kKeyBlock = "-----BEGIN";

enum CharacterClass : uint8_t { kWord = 1, kBeginsToken = 2, kSeparator = 4 };

constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    classes[static_cast<size_t>(c)] = is_word(static_cast<char>(c)) ? kWord : 0;
  }
  for (const Prefix& prefix : kPrefixes) classes[static_cast<unsigned char>(prefix.text.front())] |= kBeginsToken;
  for (const char c : {'e', 'b', 'B', '-'}) classes[static_cast<unsigned char>(c)] |= kBeginsToken;
  for (const char c : {':', '='}) classes[static_cast<unsigned char>(c)] |= kSeparator;
  return classes;
}();

enum class KeyKind : uint8_t { none, environment, token, secret, password };

constexpr size_t kLongestKey = 64;

KeyKind kind_of_key(std::string_view key) {
  if (key.size() > kLongestKey) key.remove_prefix(key.size() - kLongestKey);
  std::array<char, kLongestKey> folded{};
  for (size_t i = 0; i < key.size(); ++i) folded[i] = key[i] == '-' ? '_' : lower(key[i]);
  const std::string_view name(folded.data(), key.size());
  for (const char* environment : {"env", "environ", "environment", "env_vars", "environment_variables"}) {
    if (name == environment) return KeyKind::environment;
  }
  for (const char* part : {"passw", "passphrase"}) {
    if (contains(name, part)) return KeyKind::password;
  }
  for (const char* part : {"secret", "credential", "api_key", "apikey", "access_key", "accesskey", "account_key",
                           "accountkey", "private_key", "privatekey", "auth_token", "authtoken", "access_token",
                           "accesstoken", "bearer", "session_key", "sessionkey", "amz_signature"}) {
    if (contains(name, part)) return KeyKind::secret;
  }
  if (name == "authorization" || name == "proxy_authorization") return KeyKind::secret;
  // "hf_token", "sessionToken", "token", but not "tokens", "max_tokens", "tokenizer".
  const bool camel = key.ends_with("Token") && key.size() > 5 && is_word(key[key.size() - 6]);
  if (name == "token" || name.ends_with("_token") || camel || contains(name, "cookie")) return KeyKind::token;
  return KeyKind::none;
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

/// Whether a key's value, quotes apart, is a secret.
bool is_secret_of(KeyKind kind, std::string_view value) {
  if (kind == KeyKind::none || is_nothing(value) || is_truth_value(value)) return false;
  if (kind != KeyKind::token) return true;
  const bool special = (value.front() == '<' && value.back() == '>') || (value.front() == '[' && value.back() == ']');
  return !special && !is_number(value);
}

/// Finds the credentials of a text from its beginning to its end.
class Search {
 public:
  /// `shown`: where the text without them goes; null to look for the first alone.
  Search(std::string_view text, std::string* shown, bool code = false) : text_(text), shown_(shown), code_(code) {}

  size_t run() {
    bool in_word = false;
    while (at_ < text_.size()) {
      const uint8_t kind = kClasses[static_cast<unsigned char>(text_[at_])];
      const size_t found = found_;
      if ((kind & kBeginsToken) != 0 && !in_word) {
        look_at_word();
      } else if ((kind & kSeparator) != 0) {
        look_at_separator();
      }
      if (found_ == found) {
        in_word = (kind & kWord) != 0;
        ++at_;
      } else {
        in_word = false;
        if (shown_ == nullptr) break;
      }
    }
    if (found_ != 0 && shown_ != nullptr) shown_->append(text_.substr(copied_));
    return found_;
  }

 private:
  /// Goes on behind `end`. `quote`: put around what is shown instead.
  void hide(size_t begin, size_t end, std::string_view quote = {}) {
    ++found_;
    at_ = end;
    if (shown_ == nullptr) return;
    if (copied_ == 0) shown_->clear();
    shown_->append(text_.substr(copied_, begin - copied_)).append(quote).append(kHiddenValue).append(quote);
    if (code_)
      shown_->append(static_cast<size_t>(std::count(&text_[begin], &text_[begin] + (end - begin), '\n')), '\n');
    copied_ = end;
  }

  void look_at_word() {
    const std::string_view rest = text_.substr(at_);
    if (rest[0] == '-') {
      if (rest.starts_with(kKeyBlock)) return hide_key_block();
      if (rest.starts_with("--")) look_at_option();
      return;
    }
    if (lower(rest[0]) == 'b') return look_at_bearer();
    if (rest.starts_with(kWebToken)) return look_at_web_token();
    for (const Prefix& prefix : kPrefixes) {
      if (!rest.starts_with(prefix.text)) continue;
      const size_t begin = at_ + prefix.text.size();
      const size_t end = word_end(text_, begin);
      const std::string_view token = text_.substr(begin, std::min(end - begin, prefix.least - prefix.text.size()));
      if (prefix.text.size() + token.size() < prefix.least) continue;
      if (prefix.plain && token.find_first_of("_-") != std::string_view::npos) continue;
      return hide(at_, end);
    }
  }

  void hide_key_block() {
    constexpr std::string_view kEnd = "-----END";
    size_t end = std::min(text_.find_first_of("\"'", at_), text_.size());
    const std::string_view block = text_.substr(at_, end - at_);
    const size_t marker = block.find(kEnd);
    if (marker != std::string_view::npos) {
      const size_t last = block.find("-----", marker + kEnd.size());
      if (last != std::string_view::npos) end = at_ + last + 5;
    }
    hide(at_, end);
  }

  /// header.payload.signature, each base64url, the first two beginning with `{"` encoded.
  void look_at_web_token() {
    size_t end = word_end(text_, at_);
    if (end - at_ < 10 || text_.substr(end, 4) != ".eyJ") return;
    end = word_end(text_, end + 1);
    if (end < text_.size() && text_[end] == '.') end = word_end(text_, end + 1);
    hide(at_, end);
  }

  void look_at_bearer() {
    if (text_.size() - at_ < kBearer.size() ||
        !std::equal(kBearer.begin(), kBearer.end(), text_.begin() + static_cast<std::ptrdiff_t>(at_),
                    [](char a, char b) { return a == lower(b); })) {
      return;
    }
    const size_t begin = at_ + kBearer.size();
    const size_t end = end_of_bare(begin);
    const std::string_view token = text_.substr(begin, end - begin);
    const bool random = token.size() >= 8 && std::any_of(token.begin(), token.end(), is_digit);
    if (!is_nothing(token) && (random || token.size() >= 20)) hide(begin, end);
  }

  /// --KEY VALUE, also as two texts of a list; --KEY=VALUE is found at its sign.
  void look_at_option() {
    if (at_ + 2 >= text_.size() || !is_word(text_[at_ + 2]) || text_[at_ + 2] == '-') return;
    const size_t end_of_key = word_end(text_, at_ + 2);
    if (end_of_key == text_.size() || end_of_key - at_ > kLongestKey) return;
    const char next = text_[end_of_key];
    if (!is_blank(next) && !is_quote(next) && next != '\\' && next != ',') return;
    const KeyKind kind = kind_of_key(text_.substr(at_ + 2, end_of_key - at_ - 2));
    if (kind == KeyKind::none || kind == KeyKind::environment) return;
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
    if (!value.starts_with("--") && is_secret_of(kind, value)) hide(begin, end);
  }

  /// scheme://user:password@host
  void look_at_url() {
    const size_t begin = at_ + 3;
    const size_t end = std::min(text_.find_first_of("/ \"'\\?#", begin), text_.size());
    const std::string_view authority = text_.substr(begin, end - begin);
    const size_t sign = authority.rfind('@');
    if (sign == std::string_view::npos) return;
    const size_t colon = authority.substr(0, sign).find(':');
    if (colon == std::string_view::npos || colon + 1 == sign) return;
    if (!is_nothing(authority.substr(colon + 1, sign - colon - 1))) hide(begin + colon + 1, begin + sign);
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
    while (begin_of_key > copied_ && quote - begin_of_key < kLongestKey && is_word(text_[begin_of_key - 1])) {
      --begin_of_key;
    }
    const KeyKind kind = kind_of_key(text_.substr(begin_of_key, quote - begin_of_key));
    if (kind != KeyKind::none) look_at_value(kind, colon, quotes);
  }

  /// What follows a separator behind a key that names a secret.
  void look_at_value(KeyKind kind, bool colon, std::string_view quotes_of_key) {
    size_t begin = at_ + 1;
    if (!colon && begin < text_.size() && text_[begin] == '>') ++begin;  // "password => x"
    while (begin < text_.size() && begin - at_ < 4 && text_[begin] == ' ') ++begin;
    if (begin == text_.size()) return;
    if (code_ && !is_quote(text_[begin])) return;
    if (text_[begin] == '{' || text_[begin] == '[') {
      const size_t end = end_of_brackets(begin);
      const std::string_view value = text_.substr(begin, end - begin);
      if (is_nothing(value) || (kind == KeyKind::token && end - begin < 16)) return;
      return hide(begin, end, quotes_of_key);
    }
    if (kind == KeyKind::environment) return;

    size_t quote = begin;
    while (quote < text_.size() && quote - begin < 8 && text_[quote] == '\\') ++quote;
    if (quote < text_.size() && is_quote(text_[quote])) {
      const size_t end = end_of_quoted(quote + 1, text_[quote], quote - begin);
      if (is_secret_of(kind, text_.substr(quote + 1, end - quote - 1))) hide(quote + 1, end);
      return;
    }
    if (!colon) {
      const size_t end = end_of_bare(begin);
      const std::string_view value = text_.substr(begin, end - begin);
      const bool code =
          kind == KeyKind::token && (contains(value, "::") || contains(value, "("));  // "[with Token = ns::T]"
      const bool long_enough = kind == KeyKind::password || value.size() >= 8;
      if (is_secret_of(kind, value) && long_enough && !code) hide(begin, end);
    } else if (!quotes_of_key.empty()) {  // a number or word of JSON
      const size_t end = std::min(text_.find_first_of(",]} \t\r\n", begin), text_.size());
      if (is_secret_of(kind, text_.substr(begin, end - begin))) hide(begin, end, quotes_of_key);
    } else {
      look_at_header(kind, begin);
    }
  }

  /// "Authorization: Basic dXNlcg==" up to the end of the line, "password: x" up to the end of the word.
  void look_at_header(KeyKind kind, size_t begin) {
    size_t end = end_of_bare(begin);
    std::string_view value = text_.substr(begin, end - begin);
    for (const char* scheme : {"Bearer", "Basic", "Digest", "Token"}) {
      if (value != scheme) continue;
      begin = std::min(end + 1, text_.size());
      end = std::min(text_.find_first_of("\r\n\"'\\", begin), text_.size());
      if (!is_nothing(text_.substr(begin, end - begin))) hide(begin, end);
      return;
    }
    const bool random = value.size() >= 8 && std::any_of(value.begin(), value.end(), is_digit);
    if (is_secret_of(kind, value) && (kind == KeyKind::password || random)) hide(begin, end);
  }

  size_t end_of_bare(size_t at) const {
    while (at < text_.size() && !is_blank(text_[at]) && !is_quote(text_[at]) && text_[at] != '\\') ++at;
    return at;
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
  std::string* shown_;
  bool code_;
  size_t at_ = 0;
  size_t copied_ = 0;  // up to here the text stands in shown_
  size_t found_ = 0;
};

/// Most values are numbers and lists of them; without a branch, many characters are looked at at once.
bool has_letters(std::string_view text) {
  bool letters = false;
  for (const char c : text) letters |= ((c | 0x20) >= 'a') & ((c | 0x20) <= 'z');
  return letters;
}

}  // namespace

bool is_secret_key(std::string_view key) {
  return kind_of_key(key) != KeyKind::none;
}

bool is_secret_value_of(std::string_view key, std::string_view value) {
  return is_secret_of(kind_of_key(key), value);
}

bool is_secret_value(std::string_view value) {
  return has_letters(value) && Search(value, nullptr).run() != 0;
}

size_t hide_secrets(std::string_view text, std::string& shown) {
  return has_letters(text) ? Search(text, &shown).run() : 0;
}

size_t hide_secrets_in_code(std::string_view code, std::string& shown) {
  return Search(code, &shown, true).run();
}

}  // namespace cgpu
