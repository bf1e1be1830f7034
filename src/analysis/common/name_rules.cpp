#include "analysis/common/name_rules.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/regex_set.h"
#include "base/rule_lines.h"

namespace cgpu {

extern const std::string_view builtin_name_rules;

namespace {

constexpr std::array<std::string_view, 18> kLists{
    "counted_step", "engine_step",  "event_wait", "expert_op",  "idle_call",     "idle_driver",
    "idle_host",    "idle_os_call", "io_range",   "layer_part", "library_frame", "other_wait",
    "phase",        "rack",         "reading_op", "sleep",      "thread_wait",   "typed_input"};

struct NameRule {
  std::string_view label;  // "" for none
  std::string_view regex;
};

struct NameRuleSet {
  RegexSet regexes;
  std::vector<NameRule> rules;

  const NameRule* first_match(std::string_view name) const {
    const std::optional<size_t> first = regexes.first_match(name);
    return first ? &rules[*first] : nullptr;
  }
};

class NameRules {
 public:
  static const NameRuleSet& of(NameList list) {
    static const NameRules all;
    return all.lists_[static_cast<size_t>(list)];
  }

 private:
  NameRules() {
    std::vector<NameRuleSet*> open;
    each_rule_line(builtin_name_rules, [&](std::string_view line, int number) {
      if (line.front() == '[' && line.back() == ']') {
        open.clear();
        std::string_view names = line.substr(1, line.size() - 2);
        while (!names.empty()) open.push_back(list_named(take_word(names)));
        return;
      }
      const size_t end = line.find("  ");
      if (end == std::string_view::npos) throw Error(fmt::format("name_rules.txt: line {} is no rule", number));
      const std::string_view label = line.substr(0, end);
      const NameRule rule{label == "-" ? "" : label, trim(line.substr(end))};
      for (NameRuleSet* list : open) {
        list->regexes.add(rule.regex);
        list->rules.push_back(rule);
      }
    });
  }

  NameRuleSet* list_named(std::string_view name) {
    if (name.ends_with(',')) name.remove_suffix(1);
    const auto* const at = std::find(kLists.begin(), kLists.end(), name);
    if (at == kLists.end()) throw Error(fmt::format("name_rules.txt: there is no list '{}'", name));
    return &lists_[static_cast<size_t>(at - kLists.begin())];
  }

  std::array<NameRuleSet, kLists.size()> lists_;
};

}  // namespace

std::string_view label_of(NameList list, std::string_view name) {
  const NameRule* const rule = NameRules::of(list).first_match(name);
  return rule == nullptr ? std::string_view() : rule->label;
}

std::string_view group_in(NameList list, std::string_view name) {
  const NameRule* const rule = NameRules::of(list).first_match(name);
  re2::StringPiece group;
  if (rule == nullptr || !RE2::PartialMatch(piece_of(name), RE2(piece_of(rule->regex), regex_options()), &group))
    return {};
  return {group.data(), group.size()};
}

}  // namespace cgpu
