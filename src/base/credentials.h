// Recognises credentials in what profilers copy into their files.
//
// Profiles carry what their author's job carried: access tokens in job descriptions, passwords in URLs, whole
// environments. Such values are never shown, exported, cached or served. Better to hide too much than too little.
#pragma once

#include <string_view>

namespace cgpu {

/// Whether `key` names a secret ("hf_token", "AWS_SECRET_ACCESS_KEY", "password") or a whole environment ("env",
/// "environ").
bool is_secret_key(std::string_view key);

/// Whether `value` looks like a credential: the prefixes that services give their tokens, private keys,
/// JSON Web Tokens, a password in a URL.
bool is_secret_value(std::string_view value);

}  // namespace cgpu
