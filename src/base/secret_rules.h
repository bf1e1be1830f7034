// The rules of src/base/secret_rules.txt, by which base/credentials.h knows secrets.
#pragma once

#include <re2/re2.h>
#include <re2/set.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

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
  /// Several regular expressions that are looked for at once.
  class Set {
   public:
    explicit Set(bool case_sensitive);
    /// Throws Error where it is not to be understood.
    void add(const std::string& regex);
    /// The numbers of those that match. Where the set runs out of memory, all of them: rather look at too many.
    std::vector<int> matches(std::string_view text) const;

   private:
    mutable RE2::Set set_;
    mutable std::once_flag compiled_;
    size_t size_ = 0;
  };
  struct Rule {
    std::string pattern;
    std::once_flag compiled;
    std::unique_ptr<RE2> regex;
    int key = -1;  // the number of the group with that name, or -1
  };
  void add(std::string_view what, const std::string& regex);

  Set keys_;
  std::vector<SecretKey> kinds_;  // of the rules of keys_
  Set texts_;
  mutable std::deque<Rule> rules_;  // those of texts_
};

}  // namespace cgpu
