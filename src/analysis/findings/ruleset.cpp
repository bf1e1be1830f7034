#include "analysis/findings/ruleset.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "analysis/analysis.h"
#include "base/error.h"
#include "base/text_source.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// A number in `unit`, of a text that may name another unit of the same kind: "2 ms", "64 KiB", "5 %".
std::optional<double> quantity(const std::string& text, std::string_view unit) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  std::string_view given(rest, static_cast<size_t>(text.data() + text.size() - rest));
  while (given.starts_with(' ')) given.remove_prefix(1);
  if (given.empty() || given == unit) return number;
  const std::optional<Unit> from = find_unit(given);
  const std::optional<Unit> to = find_unit(unit);
  if (!from || !to || from->kind != to->kind) return std::nullopt;
  return number * std::pow(10.0, from->ten - to->ten) * std::pow(2.0, from->two - to->two);
}

class RulesParser {
 public:
  explicit RulesParser(const std::string& file) : file_(file) {}

  Ruleset parse(const std::string& text) {
    const YAML::Node whole = load(text);
    for (const auto& part : members(whole, "the file", {"thresholds", "rules"})) {
      if (part.first == "thresholds") read_thresholds(part.second);
      if (part.first == "rules") read_rules(part.second);
    }
    return std::move(rules_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw Error(file_, fmt::format("line {}: {}", line + 1, what));
  }
  [[noreturn]] void fail(const YAML::Node& node, const std::string& what) const { fail(node.Mark().line, what); }

  YAML::Node load(const std::string& text) const {
    try {
      return YAML::Load(text);
    } catch (const YAML::Exception& error) {
      fail(error.mark.line, error.msg);
    }
  }

  /// The members of a map, each known and there once.
  std::vector<std::pair<std::string, YAML::Node>> members(const YAML::Node& node, const std::string& what,
                                                          const std::vector<std::string_view>& known) const {
    if (!node.IsMap()) fail(node, what + " is no list of `name: value`");
    std::vector<std::pair<std::string, YAML::Node>> found;
    for (const auto& member : node) {
      const std::string name = text_of(member.first, "a name");
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        fail(member.first, fmt::format("{} has no '{}' (there are: {})", what, name, fmt::join(known, ", ")));
      }
      const bool again = std::any_of(found.begin(), found.end(), [&](const auto& each) { return each.first == name; });
      if (again) fail(member.first, fmt::format("'{}' is there twice", name));
      found.emplace_back(name, member.second);
    }
    return found;
  }

  std::string text_of(const YAML::Node& node, const std::string& what) const {
    if (!node.IsScalar()) fail(node, what + " is no text");
    return node.Scalar();
  }

  void read_thresholds(const YAML::Node& node) {
    std::vector<std::string_view> names;
    for (const NamedThreshold& each : kThresholds) names.push_back(each.name);
    for (const auto& [name, value] : members(node, "thresholds", names)) {
      const auto known = std::find_if(kThresholds.begin(), kThresholds.end(),
                                      [&, wanted = &name](const NamedThreshold& each) { return each.name == *wanted; });
      const std::string text = text_of(value, name);
      const std::optional<double> number = quantity(text, known->unit);
      if (!number) {
        fail(value, fmt::format("{}: '{}' is no number{}", name, text,
                                known->unit == "count" ? "" : fmt::format(" of {} from 0 on", known->unit)));
      }
      rules_.thresholds.*(known->value) = known->unit == "%" ? *number / 100 : *number;
    }
  }

  void read_rules(const YAML::Node& node) {
    if (!node.IsSequence()) fail(node, "rules is no list (each begins with `- rule: NAME`)");
    for (const YAML::Node& each : node) read_rule(each);
  }

  void read_rule(const YAML::Node& node) {
    TableRule rule;
    rule.place = fmt::format("{}: line {}", file_, node.Mark().line + 1);
    for (const auto& [name, value] :
         members(node, "a rule", {"rule", "table", "where", "when", "severity", "title", "suggestion"})) {
      const std::string text = text_of(value, name);
      try {
        if (name == "rule") rule.name = text;
        if (name == "table") rule.table = find_analysis(text).name;
        if (name == "where") rule.where = Filter::parse(text);
        if (name == "when") rule.when = Filter::parse(text);
      } catch (const Error& error) {
        fail(value, error.what());
      }
      if (name == "title") rule.title = text;
      if (name == "suggestion") rule.suggestion = text;
      if (name == "severity") rule.severity = severity_of(value, text);
    }
    for (const auto& [what, is_missing] : {std::pair("rule", rule.name.empty()), std::pair("table", rule.table.empty()),
                                           std::pair("title", rule.title.empty())}) {
      if (is_missing) fail(node, fmt::format("a rule needs `{}`", what));
    }
    if (find_analysis(rule.table).events != nullptr || rule.table == "findings") {
      fail(node, fmt::format("rules cannot look at table {}: {}", rule.table,
                             rule.table == "findings" ? "it is what they make" : "it has a row for every event"));
    }
    rules_.rules.push_back(std::move(rule));
  }

  Severity severity_of(const YAML::Node& node, const std::string& text) const {
    for (const Severity each : {Severity::critical, Severity::warning, Severity::info}) {
      if (text == cgpu::text_of(each)) return each;
    }
    fail(node, fmt::format("severity: '{}' is none of critical, warning, info", text));
  }

  const std::string& file_;
  Ruleset rules_;
};

}  // namespace

Ruleset parse_rules(const std::string& text, const std::string& file) {
  return RulesParser(file).parse(text);
}

Ruleset read_rules(const std::string& file) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  return file.empty() ? Ruleset() : parse_rules(read_small_text(file, kMostBytes, "any file of rules (1 MB)"), file);
}

}  // namespace cgpu
