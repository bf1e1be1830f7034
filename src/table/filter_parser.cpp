#include "table/filter_parser.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <memory>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "table/unicode.h"

namespace cgpu {

namespace {

using Node = Filter::Node;
using Operator = Filter::Operator;

/// Reads an expression from left to right.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ParsedFilter filter() {
    parsed_.root = any_of();
    if (at_ < text_.size()) fail(at_ + 1, "expected 'and' or 'or'");
    return std::move(parsed_);
  }

 private:
  [[noreturn]] static void fail(size_t position, const std::string& message) { fail_in_filter(position, message); }

  Node any_of() {
    return joined(Node::Kind::any_of, "or", [this] { return all_of(); });
  }
  Node all_of() {
    return joined(Node::Kind::all_of, "and", [this] { return negated(); });
  }

  template <typename Part>
  Node joined(Node::Kind kind, std::string_view word, Part part) {
    Node node{kind};
    do {
      node.parts.push_back(part());
      skip_space();
    } while (take_word(word));
    return node.parts.size() == 1 ? std::move(node.parts.front()) : node;
  }

  Node negated() {
    constexpr size_t kDeepest = 100;
    skip_space();
    const size_t begin = at_;
    if (depth_ > kDeepest) fail(begin + 1, "too many brackets or 'not'");
    if (take_word("not")) {
      ++depth_;
      Node node{Node::Kind::none_of, 0, {negated()}};
      --depth_;
      return node;
    }
    if (at_ == text_.size() || text_[at_] != '(') return condition();
    ++at_;
    ++depth_;
    ++brackets_;
    Node node = any_of();
    if (at_ == text_.size() || text_[at_] != ')') fail(begin + 1, "a bracket is not closed");
    ++at_;
    --depth_;
    --brackets_;
    return node;
  }

  Node condition() {
    skip_space();
    const std::string column = is_quote() ? quoted() : bare_column();
    skip_space();
    const bool negative = take_word("not");
    skip_space();
    if (take_word("in")) return one_of(column, negative);
    if (negative) fail(at_ + 1, "expected 'in' after 'not'");
    const Operator op = comparison();
    skip_space();
    const size_t position = at_ + 1;
    return added(column, op, is_quote() ? quoted() : bare_value(false), position);
  }

  /// COLUMN in (VALUE, ...).
  Node one_of(const std::string& column, bool negative) {
    skip_space();
    const size_t begin = at_;
    if (at_ == text_.size() || text_[at_] != '(') fail(begin + 1, "expected values in round brackets after 'in'");
    Node node{negative ? Node::Kind::all_of : Node::Kind::any_of};
    ++brackets_;
    do {
      ++at_;  // the bracket or a comma
      skip_space();
      const size_t position = at_ + 1;
      const std::string value = is_quote() ? quoted() : bare_value(true);
      node.parts.push_back(added(column, negative ? Operator::not_equal : Operator::equal, value, position));
      skip_space();
    } while (at_ < text_.size() && text_[at_] == ',');
    if (at_ == text_.size() || text_[at_] != ')') fail(begin + 1, "a bracket is not closed");
    ++at_;
    --brackets_;
    return node;
  }

  Node added(const std::string& column, Operator op, const std::string& value, size_t position) {
    Filter::Condition result{column, op, value, position, nullptr};
    if (op == Operator::matches || op == Operator::matches_not) {
      RE2::Options options;
      options.set_log_errors(false);
      result.pattern = std::make_shared<const RE2>(value, options);
      if (!result.pattern->ok()) {
        fail(position, "bad regular expression (" + printable(result.pattern->error()) + ")");
      }
    }
    parsed_.conditions.push_back(std::move(result));
    return {Node::Kind::condition, parsed_.conditions.size() - 1};
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool is_quote() const { return at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\''); }

  std::string quoted() {
    const size_t begin = at_;
    const char quote = text_[at_++];
    std::string result;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        if (at_ == text_.size() || text_[at_] != quote) return result;
      }
      result += text_[at_];
    }
    fail(begin + 1, "a quote is not closed");
  }

  std::string bare_column() {
    const size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) && std::string_view("=!<>~()").find(text_[at_]) == text_.npos) {
      ++at_;
    }
    if (at_ == begin) fail(begin + 1, "expected the name of a column");
    return std::string(text_.substr(begin, at_ - begin));
  }

  Operator comparison() {
    struct Spelling {
      std::string_view text;
      Operator op;
    };
    static constexpr Spelling spellings[] = {
        {"==", Operator::equal},       {"!=", Operator::not_equal},     {"<=", Operator::less_equal},
        {"!~", Operator::matches_not}, {">=", Operator::greater_equal}, {"=", Operator::equal},
        {"<", Operator::less},         {">", Operator::greater},        {"~", Operator::matches}};
    for (const Spelling& spelling : spellings) {
      if (!text_.substr(at_).starts_with(spelling.text)) continue;
      at_ += spelling.text.size();
      return spelling.op;
    }
    fail(at_ + 1, "expected one of = != < <= > >= ~ !~ in");
  }

  /// Up to the word `and` or `or`, the bracket that closes those around it, in a list the next comma, or the end;
  /// without the spaces around it. Brackets that the value opens and closes belong to it.
  std::string bare_value(bool in_list) {
    const size_t begin = at_;
    size_t open = 0;
    for (; at_ < text_.size(); ++at_) {
      if (is_space(text_[at_ - 1]) && (is_word("and") || is_word("or"))) break;
      if (in_list && open == 0 && text_[at_] == ',') break;
      if (text_[at_] == '(') ++open;
      if (text_[at_] != ')') continue;
      if (open == 0 && brackets_ > 0) break;
      if (open > 0) --open;
    }
    size_t end = at_;
    while (end > begin && is_space(text_[end - 1])) --end;
    if (end == begin) fail(begin + 1, "expected a value (quote it where it is empty)");
    return std::string(text_.substr(begin, end - begin));
  }

  /// Whether this word, all in lower or all in upper case, is here.
  bool is_word(std::string_view word) const {
    const std::string_view here = text_.substr(at_, word.size());
    const size_t end = at_ + word.size();
    if (here.size() < word.size() || (end < text_.size() && !is_space(text_[end]) && text_[end] != '(')) return false;
    bool lower = true;
    bool upper = true;
    for (size_t i = 0; i < word.size(); ++i) {
      lower = lower && here[i] == word[i];
      upper = upper && here[i] == word[i] - 'a' + 'A';
    }
    return lower || upper;
  }

  bool take_word(std::string_view word) {
    if (!is_word(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t brackets_ = 0;  // that are open around what is read
  size_t depth_ = 0;     // of brackets and `not`
  ParsedFilter parsed_;
};

}  // namespace

ParsedFilter parse_filter(std::string_view expression) {
  return Parser(expression).filter();
}

void fail_in_filter(size_t position, const std::string& message) {
  throw Error("--where", fmt::format("{} at position {}", message, position));
}

}  // namespace cgpu
