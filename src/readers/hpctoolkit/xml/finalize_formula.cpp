#include "readers/hpctoolkit/xml/finalize_formula.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/ascii.h"

namespace cgpu::hpctoolkit_xml {

namespace {

using Op = Formula::Op;

constexpr auto kFunctions = std::to_array<std::pair<std::string_view, Op>>({{"sum", Op::sum},
                                                                            {"min", Op::minimum},
                                                                            {"max", Op::maximum},
                                                                            {"sqrt", Op::square_root},
                                                                            {"pow", Op::power},
                                                                            {"log", Op::logarithm}});

/// By recursive descent: every method reads one rule of the grammar and says whether it was there.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<FinalizeFormula> parse() {
    if (!sum()) return std::nullopt;
    skip_spaces();
    if (!text_.empty()) return std::nullopt;
    return std::move(result_);
  }

 private:
  bool sum() { return chain(&Parser::product, {'+', Op::sum}, {'-', Op::subtract}); }
  bool product() { return chain(&Parser::value, {'*', Op::product}, {'/', Op::divide}); }

  /// Parts with one of two signs between them, from left to right.
  using Sign = std::pair<char, Op>;
  bool chain(bool (Parser::*part)(), Sign one, Sign other) {
    if (!(this->*part)()) return false;
    for (;;) {
      const bool is_one = take(one.first);
      if (!is_one && !take(other.first)) return true;
      if (!(this->*part)()) return false;
      result_.formula.push(is_one ? one.second : other.second, 2);
    }
  }

  bool value() {
    constexpr int kDeepest = 64;
    if (depth_ == kDeepest) return false;
    ++depth_;
    const bool found = take('$') ? operand() : take('(') ? sum() && take(')') : number() || call();
    --depth_;
    return found;
  }

  bool operand() {
    const std::string id(word(is_digit));
    if (id.empty()) return false;
    std::vector<std::string>& metrics = result_.metrics;
    const auto known = std::find(metrics.begin(), metrics.end(), id);
    result_.formula.push_operand(static_cast<uint32_t>(known - metrics.begin()));
    if (known == metrics.end()) metrics.push_back(id);
    return true;
  }

  bool number() {
    skip_spaces();
    double number = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc() || !std::isfinite(number)) return false;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    result_.formula.push_constant(number);
    return true;
  }

  bool call() {
    const std::string_view name = word([](char c) { return c >= 'a' && c <= 'z'; });
    const auto function =
        std::find_if(kFunctions.begin(), kFunctions.end(), [&](const auto& known) { return known.first == name; });
    if (function == kFunctions.end() || !take('(')) return false;
    uint32_t arguments = 0;
    do {
      if (!sum()) return false;
      ++arguments;
    } while (take(','));
    const auto [least, most] = Formula::arity(function->second);
    if (arguments < least || arguments > most || !take(')')) return false;
    result_.formula.push(function->second, arguments);
    return true;
  }

  template <typename Belongs>
  std::string_view word(Belongs belongs) {
    skip_spaces();
    const auto end = std::find_if_not(text_.begin(), text_.end(), belongs);
    const std::string_view found = text_.substr(0, static_cast<size_t>(end - text_.begin()));
    text_.remove_prefix(found.size());
    return found;
  }

  bool take(char wanted) {
    skip_spaces();
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void skip_spaces() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }

  std::string_view text_;
  FinalizeFormula result_;
  int depth_ = 0;
};

}  // namespace

std::optional<FinalizeFormula> parse_finalize_formula(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace cgpu::hpctoolkit_xml
