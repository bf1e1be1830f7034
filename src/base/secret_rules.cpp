#include "base/secret_rules.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/rule_lines.h"

namespace cgpu {

extern const std::string_view builtin_secret_rules;

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

}  // namespace

const SecretRules& SecretRules::builtin() {
  static const SecretRules rules(builtin_secret_rules);
  return rules;
}

SecretRules::SecretRules(std::string_view text) : keys_(false), texts_(true) {
  each_rule_line(text, [this](std::string_view line, int) {
    const std::string_view what = take_word(line);
    add(what, std::string(line));
  });
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
  const std::optional<size_t> first = keys_.first_match(key);
  return first ? kinds_[*first] : SecretKey::open;
}

void SecretRules::find(std::string_view text, const Found& found) const {
  for (const int number : texts_.matches(text)) {
    Rule& rule = rules_[static_cast<size_t>(number)];
    std::call_once(rule.compiled, [&rule] {
      rule.regex = std::make_unique<RE2>(rule.pattern, regex_options());
      const auto& groups = rule.regex->NamedCapturingGroups();
      if (const auto key = groups.find("key"); key != groups.end()) rule.key = key->second;
    });
    const int groups = rule.regex->NumberOfCapturingGroups() + 1;
    std::vector<re2::StringPiece> group(static_cast<size_t>(groups));
    const auto is_hidden = [&](int i) { return i != rule.key && group[static_cast<size_t>(i)].data() != nullptr; };
    size_t at = 0;
    while (at <= text.size() &&
           rule.regex->Match(piece_of(text), at, text.size(), RE2::UNANCHORED, group.data(), groups)) {
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
