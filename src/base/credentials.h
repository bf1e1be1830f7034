// Recognises credentials in what profilers copy into their files.
//
// Profiles carry what their author's job carried: access tokens in job descriptions, passwords in URLs and command
// lines, whole environments. Such values are never shown, exported, cached or served. What is looked for is listed in
// docs/manual.md, "Secrets": the rules are data (base/secret_rules.txt), what is in brackets or quotes behind a key
// is found here. Better to hide too much than too little; but numbers, the special tokens of tokenizers and names of
// functions stay. O(length) each.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// What is shown instead of a credential.
inline constexpr std::string_view kHiddenValue = "[hidden]";

/// Whether `key` names a secret ("hf_token", "AWS_SECRET_ACCESS_KEY", "password") or a whole environment ("env",
/// "environ").
bool is_secret_key(std::string_view key);

/// Whether the value of a key that names a secret is one: not where it is empty or null, and of a token not where it is
/// a number, a truth value or one of a tokenizer's ("<pad>").
bool is_secret_value_of(std::string_view key, std::string_view value);

/// Whether a text contains a credential: what a rule finds, a password in a URL, KEY=VALUE, --KEY VALUE or
/// "KEY": "VALUE" of a key that names a secret.
bool is_secret_value(std::string_view value);

/// Where `text` contains credentials, `shown` is set to the text with kHiddenValue in the place of each, and their
/// number is returned; else 0. JSON stays JSON.
size_t hide_secrets(std::string_view text, std::string& shown);

/// The same of a program's source, where `token = next(input)` is no secret and `token = "abc"` is: of keys that name
/// secrets only values in quotes. Lines keep their numbers.
size_t hide_secrets_in_code(std::string_view code, std::string& shown);

}  // namespace cgpu
