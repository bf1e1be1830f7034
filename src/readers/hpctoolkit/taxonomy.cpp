#include "readers/hpctoolkit/taxonomy.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace cgpu::hpctoolkit {

namespace {

using Op = Formula::Op;

/// Why a metric was not read.
struct Unreadable {};

std::optional<Op> operation(std::string_view name) {
  static const std::map<std::string_view, Op> kNames{{"+", Op::sum},
                                                     {"sum", Op::sum},
                                                     {"-", Op::subtract},
                                                     {"*", Op::product},
                                                     {"prod", Op::product},
                                                     {"/", Op::divide},
                                                     {"^", Op::power},
                                                     {"pow", Op::power},
                                                     {"sqrt", Op::square_root},
                                                     {"log", Op::logarithm},
                                                     {"min", Op::minimum},
                                                     {"max", Op::maximum},
                                                     {"floor", Op::floor},
                                                     {"ceil", Op::ceil},
                                                     {"strict floor", Op::strict_floor},
                                                     {"strict ceil", Op::strict_ceil}};
  const auto at = kNames.find(name);
  return at == kNames.end() ? std::nullopt : std::optional(at->second);
}

int precedence(char infix) {
  return infix == '^' ? 3 : infix == '*' || infix == '/' ? 2 : 1;
}

/// A piece of a formula in infix notation.
struct Token {
  char infix = 0;  // + - * / ^, else a value:
  std::optional<double> number = {};
  YAML::Node node = {};
};

/// What a map holds under a key; a node that is null where it is no map or has no such key.
YAML::Node child(const YAML::Node& map, const char* key) {
  if (!map.IsMap()) return {};
  const YAML::Node found = map[key];
  return found ? found : YAML::Node();
}

std::string text_of(const YAML::Node& node, const std::string& fallback = "") {
  return node.IsScalar() ? node.Scalar() : fallback;
}

class TaxonomyReader {
 public:
  std::vector<TaxonomyMetric> read(const std::string& text, Notes& notes) {
    try {
      const YAML::Node file = YAML::Load(text);
      if (text_of(child(file, "version"), "0") != "0") {
        notes.add("skipped_file", 1, "metrics/default.yaml is in a later version of its format and was not read");
        return {};
      }
      const YAML::Node roots = child(file, "roots");
      for (size_t i = 0; roots.IsSequence() && i < roots.size(); ++i) read_metric(roots[i], 0);
    } catch (const YAML::Exception& error) {
      notes.add("damaged_input", 1,
                std::string("metrics/default.yaml cannot be read: ") + error.what() +
                    "; metrics that it computes are "
                    "missing",
                true);
    } catch (const Unreadable&) {
      ++unreadable_;
    }
    if (unreadable_ > 0) {
      notes.add("skipped_event", unreadable_,
                "computed metrics of metrics/default.yaml need what cgpu does not know, and were left out");
    }
    return std::move(metrics_);
  }

 private:
  using Variants = std::map<std::string, Formula>;

  /// Adds the metric and those below it; gives its formulas by variant.
  Variants read_metric(const YAML::Node& metric, int depth) {
    visit(depth);
    std::vector<Variants> children;
    const YAML::Node below = child(metric, "children");
    const size_t position = metrics_.size();
    for (size_t i = 0; below.IsSequence() && i < below.size(); ++i) {
      children.push_back(read_metric(below[i], depth + 1));
    }
    Variants variants;
    const YAML::Node list = child(metric, "variants");
    if (!list.IsMap()) return variants;
    size_t added = 0;
    for (const auto& variant : list) {
      visit(depth);
      const auto name = text_of(variant.first);
      try {
        Formula formula = formula_of(variant.second, name, children, depth + 1);
        if (formula.empty()) continue;
        variants.emplace(name, formula);
        metrics_.insert(metrics_.begin() + static_cast<std::ptrdiff_t>(position + added),
                        described(metric, variant.second, name, formula));
        ++added;
      } catch (const Unreadable&) {
        ++unreadable_;
      }
    }
    return variants;
  }

  TaxonomyMetric described(const YAML::Node& metric, const YAML::Node& variant, const std::string& variant_name,
                           Formula formula) {
    TaxonomyMetric result;
    result.name = text_of(child(metric, "name"));
    if (!variant_name.empty() && variant_name != "Sum") result.name += ":" + variant_name;
    result.about = text_of(child(metric, "short description"));
    if (result.about.empty()) result.about = text_of(child(metric, "description"));
    result.about.resize(std::min(result.about.find('\n'), result.about.size()));
    for (const YAML::Node& of : {metric, variant}) {
      result.percent = result.percent || text_of(child(of, "format")).ends_with("%%");
    }
    std::map<uint32_t, uint32_t> numbers;
    formula.renumber([&](uint32_t input) {
      const auto [at, is_new] = numbers.try_emplace(input, static_cast<uint32_t>(result.inputs.size()));
      if (is_new) result.inputs.push_back(inputs_[input]);
      return at->second;
    });
    result.formula = std::move(formula);
    return result;
  }

  /// What a variant is computed as; empty where it shows nothing.
  Formula formula_of(const YAML::Node& variant, const std::string& name, const std::vector<Variants>& children,
                     int depth) {
    const YAML::Node formula = child(variant, "formula");
    Formula result;
    if (formula.IsScalar()) {
      add_children(formula.Scalar(), child(variant, "child variant"), name, children, result);
    } else if (formula.IsMap()) {
      // Of inclusive values, else of exclusive ones: the same formula over values of another scope.
      const YAML::Node inclusive = child(formula, "inclusive");
      const YAML::Node scope = inclusive.IsNull() ? child(formula, "exclusive") : inclusive;
      const YAML::Node standard = child(scope, "standard");
      const YAML::Node custom = child(scope, "custom");
      const YAML::Node chosen = !standard.IsNull() ? standard : !custom.IsNull() ? custom : scope;
      if (!chosen.IsNull()) add(chosen, depth, result);
    }
    return result;
  }

  /// "sum" or "first" of the metrics below.
  static void add_children(const std::string& how, const YAML::Node& of, const std::string& name,
                           const std::vector<Variants>& children, Formula& to) {
    if ((how != "sum" && how != "first") || children.empty()) throw Unreadable();
    const size_t count = how == "first" ? 1 : children.size();
    for (size_t i = 0; i < count; ++i) {
      const std::string variant = of.IsSequence() && i < of.size() ? text_of(of[i], name) : text_of(of, name);
      const auto formula = children[i].find(variant);
      if (formula == children[i].end()) throw Unreadable();
      to.append(formula->second);
    }
    if (count > 1) to.push(Op::sum, static_cast<uint32_t>(count));
  }

  /// A number or infix notation in a text, a sequence (brackets), a call of a function, or an input.
  void add(const YAML::Node& node, int depth, Formula& to) {
    visit(depth);
    if (node.IsMap()) return lookup(node, "metric", 0).IsScalar() ? add_input(node, to) : add_call(node, depth, to);
    std::vector<Token> tokens;
    if (node.IsScalar()) add_tokens(node.Scalar(), tokens);
    for (size_t i = 0; node.IsSequence() && i < node.size(); ++i) {
      visit(depth);
      if (node[i].IsScalar()) {
        add_tokens(node[i].Scalar(), tokens);
      } else {
        tokens.push_back({0, {}, node[i]});
      }
    }
    size_t next = 0;
    add_infix(tokens, next, 1, depth, to);
    if (next != tokens.size()) throw Unreadable();
  }

  static void add_tokens(std::string_view text, std::vector<Token>& tokens) {
    while (!text.empty()) {
      if (text.front() == ' ') {
        text.remove_prefix(1);
        continue;
      }
      double number = 0;
      const bool value_before = !tokens.empty() && tokens.back().infix == 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool is_number = error == std::errc() && std::isfinite(number) && !value_before;
      if (!is_number && std::string_view("+-*/^").find(text.front()) == std::string_view::npos) throw Unreadable();
      tokens.push_back(is_number ? Token{0, number} : Token{text.front()});
      text.remove_prefix(is_number ? static_cast<size_t>(end - text.data()) : 1);
    }
  }

  /// By climbing precedences: operators of at least `least`, which bind to the left but for powers.
  void add_infix(const std::vector<Token>& tokens, size_t& next, int least, int depth, Formula& to) {
    visit(depth);
    if (next == tokens.size() || tokens[next].infix != 0) throw Unreadable();
    const Token& value = tokens[next++];
    if (value.number) {
      to.push_constant(*value.number);
    } else {
      add(value.node, depth + 1, to);
    }
    while (next < tokens.size() && tokens[next].infix != 0 && precedence(tokens[next].infix) >= least) {
      const char infix = tokens[next++].infix;
      add_infix(tokens, next, precedence(infix) + (infix == '^' ? 0 : 1), depth + 1, to);
      to.push(*operation(std::string_view(&infix, 1)), 2);
    }
  }

  void add_call(const YAML::Node& call, int depth, Formula& to) {
    if (call.size() != 1) throw Unreadable();
    const auto function = *call.begin();
    const auto op = operation(text_of(function.first));
    const YAML::Node& arguments = function.second;
    if (!op || !arguments.IsSequence()) throw Unreadable();
    const auto [least, most] = Formula::arity(*op);
    if (arguments.size() < least || arguments.size() > most) throw Unreadable();
    for (size_t i = 0; i < arguments.size(); ++i) add(arguments[i], depth + 1, to);
    to.push(*op, static_cast<uint32_t>(arguments.size()));
  }

  /// Sums over threads are what the tree holds; other statistics are not.
  void add_input(const YAML::Node& input, Formula& to) {
    if (text_of(lookup(input, "formula", 0), "$$") != "$$") throw Unreadable();
    if (text_of(lookup(input, "combine", 0), "sum") != "sum") throw Unreadable();
    const auto metric = text_of(lookup(input, "metric", 0));
    const auto [at, is_new] = input_numbers_.try_emplace(metric, static_cast<uint32_t>(inputs_.size()));
    if (is_new) inputs_.push_back(metric);
    to.push_operand(at->second);
  }

  /// A key of a map, or of one that it takes over (`<<`).
  static YAML::Node lookup(const YAML::Node& map, const char* key, int depth) {
    constexpr int kDeepest = 16;
    const YAML::Node found = child(map, key);
    const YAML::Node other = child(map, "<<");
    return found.IsNull() && other.IsMap() && depth < kDeepest ? lookup(other, key, depth + 1) : found;
  }

  void visit(int depth) {
    constexpr int kDeepest = 64;
    constexpr int64_t kMost = 200'000;
    if (depth > kDeepest || ++visited_ > kMost) throw Unreadable();
  }

  std::vector<TaxonomyMetric> metrics_;
  std::vector<std::string> inputs_;
  std::map<std::string, uint32_t> input_numbers_;
  int64_t visited_ = 0;
  int64_t unreadable_ = 0;
};

}  // namespace

std::vector<TaxonomyMetric> read_taxonomy(const std::string& text, Notes& notes) {
  return TaxonomyReader().read(text, notes);
}

}  // namespace cgpu::hpctoolkit
