#include "base/secret_rules.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/builtin_secret_rules.h"
#include "base/error.h"

namespace cgpu {

namespace {

struct KindOfKey {
  std::string_view name;
  SecretKey kind;
};
constexpr std::array kKindsOfKeys{
    KindOfKey{"open-key", SecretKey::open},           KindOfKey{"environment-key", SecretKey::environment},
    KindOfKey{"directory-key", SecretKey::directory}, KindOfKey{"password-key", SecretKey::password},
    KindOfKey{"secret-key", SecretKey::secret},       KindOfKey{"token-key", SecretKey::token},
};

RE2::Options options(bool case_sensitive) {
  RE2::Options options(RE2::Latin1);  // profiles may hold any bytes
  options.set_case_sensitive(case_sensitive);
  options.set_log_errors(false);
  options.set_max_mem(64 << 20);
  return options;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

SecretRules::Set::Set(bool case_sensitive) : set_(options(case_sensitive), RE2::UNANCHORED) {}

void SecretRules::Set::add(const std::string& regex) {
  std::string error;
  if (set_.Add(regex, &error) < 0) throw Error("bad rule for secrets '" + regex + "': " + error);
  ++size_;
}

std::vector<int> SecretRules::Set::matches(std::string_view text) const {
  std::call_once(compiled_, [this] {
    if (!set_.Compile()) throw Error("the rules for secrets take too much memory");
  });
  std::vector<int> matches;
  RE2::Set::ErrorInfo error{};
  if (!set_.Match(piece(text), nullptr, &error) && error.kind == RE2::Set::kNoError) return matches;
  if (set_.Match(piece(text), &matches, &error) || error.kind == RE2::Set::kNoError) return matches;
  matches.resize(size_);
  std::iota(matches.begin(), matches.end(), 0);
  return matches;
}

const SecretRules& SecretRules::builtin() {
  static const SecretRules rules(builtin_secret_rules);
  return rules;
}

SecretRules::SecretRules(std::string_view text) : keys_(false), texts_(true) {
  static const RE2 rule(R"((?m)^([^#\s]\S*)[ \t]*(.*)$)");
  re2::StringPiece rest = piece(text);
  std::string what;
  std::string regex;
  while (RE2::FindAndConsume(&rest, rule, &what, &regex)) add(what, regex);
}

void SecretRules::add(std::string_view what, const std::string& regex) {
  const auto* const kind = std::find_if(kKindsOfKeys.begin(), kKindsOfKeys.end(),
                                        [&](const KindOfKey& candidate) { return candidate.name == what; });
  if (kind != kKindsOfKeys.end()) {
    keys_.add(regex);
    kinds_.push_back(kind->kind);
    return;
  }
  if (what != "form" && what != "text") throw Error("'" + std::string(what) + "' begins no rule for secrets");
  // A word of its own, or behind the \n of a text inside of a text.
  Rule& rule = rules_.emplace_back();
  rule.pattern = what == "form" ? R"((?:^|[^\w-]|\\[nrt]))" + ("(" + regex + ")") : regex;
  texts_.add(rule.pattern);
}

SecretKey SecretRules::kind_of(std::string_view key) const {
  const std::vector<int> matches = keys_.matches(key);
  const auto first = std::min_element(matches.begin(), matches.end());
  return first == matches.end() ? SecretKey::open : kinds_[static_cast<size_t>(*first)];
}

void SecretRules::find(std::string_view text, const Found& found) const {
  for (const int number : texts_.matches(text)) {
    Rule& rule = rules_[static_cast<size_t>(number)];
    std::call_once(rule.compiled, [&rule] {
      rule.regex = std::make_unique<RE2>(rule.pattern, options(true));
      const auto& groups = rule.regex->NamedCapturingGroups();
      if (const auto key = groups.find("key"); key != groups.end()) rule.key = key->second;
    });
    const int groups = rule.regex->NumberOfCapturingGroups() + 1;
    std::vector<re2::StringPiece> group(static_cast<size_t>(groups));
    const auto is_hidden = [&](int i) { return i != rule.key && group[static_cast<size_t>(i)].data() != nullptr; };
    size_t at = 0;
    while (at <= text.size() &&
           rule.regex->Match(piece(text), at, text.size(), RE2::UNANCHORED, group.data(), groups)) {
      const std::string_view key = rule.key < 0 ? std::string_view{}
                                                : std::string_view(group[static_cast<size_t>(rule.key)].data(),
                                                                   group[static_cast<size_t>(rule.key)].size());
      for (int i = groups > 1 ? 1 : 0; i < groups; ++i) {
        if (!is_hidden(i)) continue;
        const re2::StringPiece& part = group[static_cast<size_t>(i)];
        const auto begin = static_cast<size_t>(part.data() - text.data());
        found(begin, begin + part.size(), key);
      }
      const auto end = static_cast<size_t>(group[0].data() - text.data()) + group[0].size();
      at = std::max(end, at + 1);
    }
  }
}

}  // namespace cgpu
