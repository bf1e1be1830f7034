// The rules of src/base/secret_rules.txt, by which base/credentials.h knows secrets.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/regex_set.h"

namespace cgpu {

/// What a key says about its value: see the top of secret_rules.txt.
enum class SecretKey : uint8_t { open, environment, directory, password, secret, token };

/// From several threads at a time. What a regular expression needs is compiled when it is first asked.
class SecretRules {
 public:
  /// The rules that are compiled in.
  static const SecretRules& builtin();

  /// `text`: rules as in secret_rules.txt. Throws Error where one is not to be understood.
  explicit SecretRules(std::string_view text);

  SecretKey kind_of(std::string_view key) const;

  /// A part of a text that a rule wants hidden: where it begins and ends; the key that must name a secret, or empty.
  using Found = std::function<void(size_t begin, size_t end, std::string_view key)>;
  /// O(length of the text) for each rule that matches, and once for all that do not.
  void find(std::string_view text, const Found& found) const;

 private:
  struct Rule {
    std::string pattern;
    std::once_flag compiled;
    std::unique_ptr<RE2> regex;
    int key = -1;  // the number of the group with that name, or -1
  };
  void add(std::string_view what, const std::string& regex);

  RegexSet keys_;
  std::vector<SecretKey> kinds_;  // of the rules of keys_
  RegexSet texts_;
  mutable std::deque<Rule> rules_;  // those of texts_
};

}  // namespace cgpu
