#include "base/credentials.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace cgpu {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Length of the run of token characters at `at`.
size_t word_length(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return end - at;
}

struct Prefix {
  std::string_view text;
  size_t least;  // characters of the whole token
};

// Prefixes of tokens as their issuers document them.
constexpr std::array kPrefixes{
    Prefix{"hf_", 20},   Prefix{"ghp_", 20},      Prefix{"gho_", 20},        Prefix{"ghu_", 20},
    Prefix{"ghs_", 20},  Prefix{"ghr_", 20},      Prefix{"github_pat_", 30}, Prefix{"glpat-", 20},
    Prefix{"sk-", 20},   Prefix{"AKIA", 20},      Prefix{"ASIA", 20},        Prefix{"AIza", 35},
    Prefix{"xoxb-", 20}, Prefix{"xoxp-", 20},     Prefix{"xoxa-", 20},       Prefix{"npm_", 30},
    Prefix{"pypi-", 30}, Prefix{"dckr_pat_", 20}, Prefix{"wandb_v1_", 20},   Prefix{"nvapi-", 20},
    Prefix{"ya29.", 5},
};

bool begins_a_prefix(char c) {
  static const auto kFirst = [] {
    std::array<bool, 256> first{};
    for (const Prefix& prefix : kPrefixes) first[static_cast<unsigned char>(prefix.text.front())] = true;
    return first;
  }();
  return kFirst[static_cast<unsigned char>(c)];
}

bool has_token(std::string_view value) {
  bool in_word = false;
  for (size_t at = 0; at < value.size(); ++at) {
    const bool begins_word = !in_word && begins_a_prefix(value[at]);
    in_word = is_word(value[at]);
    if (!begins_word) continue;
    for (const Prefix& prefix : kPrefixes) {
      if (!value.substr(at).starts_with(prefix.text)) continue;
      if (word_length(value, at) >= prefix.least || prefix.text.back() == '.') return true;
    }
  }
  return false;
}

/// header.payload.signature, each base64url, the first two beginning with `{"` encoded.
bool has_web_token(std::string_view value) {
  const size_t at = value.find("eyJ");
  if (at == std::string_view::npos) return false;
  const size_t header = word_length(value, at);
  const size_t dot = at + header;
  return header >= 10 && dot + 4 < value.size() && value[dot] == '.' && value.substr(dot + 1, 3) == "eyJ";
}

/// scheme://user:password@host
bool has_url_password(std::string_view value) {
  for (size_t at = value.find("://"); at != std::string_view::npos; at = value.find("://", at + 3)) {
    const std::string_view authority = value.substr(at + 3, value.find_first_of("/ \"'", at + 3) - at - 3);
    const size_t sign = authority.find('@');
    if (sign != std::string_view::npos && authority.substr(0, sign).find(':') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool is_secret_key(std::string_view key) {
  std::string lower(key);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(c == '-' ? '_' : std::tolower(c)); });
  for (const char* name : {"env", "environ", "environment", "env_vars", "environment_variables"}) {
    if (lower == name) return true;
  }
  for (const char* part : {"secret", "passw", "credential", "api_key", "apikey", "access_key", "private_key",
                           "auth_token", "access_token", "bearer", "session_key", "cookie"}) {
    if (lower.find(part) != std::string::npos) return true;
  }
  // "hf_token", "token", but not "tokens", "max_tokens", "tokenizer".
  return lower == "token" || lower.ends_with("_token") || lower.starts_with("token_secret");
}

bool is_secret_value(std::string_view value) {
  const auto is_letter = [](char c) { return ((c | 0x20) >= 'a') & ((c | 0x20) <= 'z'); };
  bool has_letters = false;  // most values are numbers and lists of them; without a branch, many are looked at at once
  for (const char c : value) has_letters |= is_letter(c);
  if (!has_letters) return false;
  return has_token(value) || has_web_token(value) || has_url_password(value) ||
         value.find("-----BEGIN") != std::string_view::npos;
}

}  // namespace cgpu
