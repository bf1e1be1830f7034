#include "kernels/head_symbol.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "kernels/module_ids.h"

namespace cgpu {
namespace {

bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The length of a spelling of "anonymous namespace" at `at`, or 0.
size_t anonymous_at(std::string_view text, size_t at) {
  for (std::string_view spelling : {"(anonymous namespace)", "<unnamed>", "{anonymous}"}) {
    if (text.substr(at, spelling.size()) == spelling) return spelling.size();
  }
  return 0;
}

/// The word "operator" at `at`, not as a part of a longer identifier.
bool operator_at(std::string_view text, size_t at) {
  constexpr std::string_view kWord = "operator";
  return text.substr(at, kWord.size()) == kWord && (at == 0 || !is_identifier(text[at - 1])) &&
         (at + kWord.size() == text.size() || !is_identifier(text[at + kWord.size()]));
}

/// Where the operator that begins at `at` ends: after "operator()", "operator<", ... For a conversion
/// ("operator bool") right after the word, as its type is read like any other text.
size_t operator_end(std::string_view text, size_t at) {
  at += std::string_view("operator").size();
  // Longest first. "operator<<" is only a shift if a bracket or the end follows: "operator<<int>" is "operator<" of
  // int.
  static constexpr std::array<std::string_view, 17> kSymbols = {
      "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "==", "!=", "&&", "||", "<", ">"};
  for (std::string_view symbol : kSymbols) {
    if (text.substr(at, symbol.size()) != symbol) continue;
    const size_t end = at + symbol.size();
    if (symbol == "<<" && end < text.size() && is_identifier(text[end])) continue;
    return end;
  }
  return at;
}

/// The end of the bracket group that opens at `open`: the position after the bracket that closes it, or the end of the
/// text. Inside round brackets an unmatched < or > is a comparison.
size_t group_end(std::string_view text, size_t open) {
  std::string expected;  // the closing brackets, innermost last
  for (size_t i = open; i < text.size();) {
    const char c = text[i];
    if (c == 'o' && operator_at(text, i)) {
      i = operator_end(text, i);
      continue;
    }
    if (c == '(') {
      expected += ')';
    } else if (c == '[') {
      expected += ']';
    } else if (c == '{') {
      expected += '}';
    } else if (c == '<') {
      const bool comparison = i > open && text[i - 1] == ')' && expected.back() == ')';
      if (!comparison) expected += '>';
    } else if (c == '>') {
      const bool arrow = i > 0 && text[i - 1] == '-';
      if (!arrow && expected.back() == '>') expected.pop_back();
    } else if (c == ')' || c == ']' || c == '}') {
      // Closes what it matches, and every < above it that turned out to be a comparison.
      while (expected.size() > 1 && expected.back() == '>') expected.pop_back();
      if (expected.back() == c) expected.pop_back();
    }
    ++i;
    if (expected.empty()) return i;
  }
  return text.size();
}

/// A tag of the compiler behind a name, "[abi:cxx11]"; Nsight Compute writes those of Numba, which hold a hash, without
/// the word: "[v1,cw51cXTLSUwv1sDU]".
bool is_abi_tag(std::string_view group) {
  const bool is_of_numba = group.size() > 3 && group.starts_with("[v") && is_digit(group[2]) && group[3] == ',';
  return is_of_numba || group.starts_with("[abi:");
}

/// `_ZN2at6native13reduce_kernelILi512E...`: the leading identifiers.
HeadSymbol split_mangled(std::string_view name) {
  HeadSymbol result;
  size_t i = 2;
  while (i < name.size() && (name[i] == 'N' || name[i] == 'L' || name[i] == 'K')) ++i;
  if (name.substr(i, 2) == "St") {
    result.head = "std";
    i += 2;
  }
  while (i < name.size() && is_digit(name[i])) {
    size_t length = 0;
    for (; i < name.size() && is_digit(name[i]); ++i) {
      length = std::min(length * 10 + static_cast<size_t>(name[i] - '0'), name.size());
    }
    const std::string_view identifier = name.substr(i, length);
    if (identifier.empty()) break;
    i += identifier.size();
    if (is_module_id(identifier)) continue;
    if (!result.head.empty()) result.head += "::";
    result.head += identifier;
  }
  if (result.head.empty()) return {std::string(name), ""};
  result.arguments = name.substr(i);
  return result;
}

}  // namespace

HeadSymbol split_head_symbol(std::string_view name) {
  if (name.substr(0, 2) == "_Z") return split_mangled(name);
  if (const size_t sign = name.find(" = "); name.substr(0, 1) == "%" && sign != std::string_view::npos) {
    return {std::string(name.substr(0, sign)), std::string(name.substr(sign + 3))};
  }
  HeadSymbol result;
  std::string& head = result.head;
  size_t name_start = 0;      // in `head`: after the last space, that is after the return type
  bool is_signature = false;  // arguments were seen
  for (size_t i = 0; i < name.size();) {
    const char c = name[i];
    const bool follows_name = !head.empty() && head.back() != ' ';
    if (const size_t anonymous = anonymous_at(name, i)) {
      i += anonymous;
      if (name.substr(i, 2) == "::") i += 2;
    } else if (c == 'o' && operator_at(name, i)) {
      size_t end = operator_end(name, i);
      const bool is_conversion = name.substr(end, 1) == " " && name.substr(end, 2) != " <";
      if (is_conversion) end = std::min(name.find('(', end), name.size());
      head += name.substr(i, end - i);
      i = name.substr(end, 1) == " " ? end + 1 : end;
    } else if (c == '<' && follows_name) {
      const size_t end = group_end(name, i);
      result.arguments += name.substr(i, end - i);
      is_signature = true;
      i = end;
    } else if (c == '(' && (std::string_view(head).substr(name_start) == "decltype" || ends_with(head, "decltype "))) {
      i = group_end(name, i);
    } else if (c == '(' && follows_name) {
      const size_t end = group_end(name, i);
      result.arguments += name.substr(i, end - i);
      is_signature = true;
      // Only a local entity goes on after the call arguments: "f(int)::{lambda()#1}", "f() const::g".
      i = std::min(name.find_first_of(":[(", end), name.size());
      if (name.substr(i, 2) != "::") break;
    } else if ((c == '{' || c == '[') && (head.empty() || follows_name)) {
      const size_t end = group_end(name, i);
      const std::string_view group = name.substr(i, end - i);
      constexpr std::string_view kLambda = "lambda";
      if (group.substr(1, kLambda.size()) == kLambda) {
        head += "{lambda}";
        result.arguments += group.substr(1 + kLambda.size());
      } else if (!is_abi_tag(group)) {
        head += group;
      }
      i = end;
    } else {
      head += c;
      if (c == ' ') {
        name_start = head.size();
        result.arguments.clear();
      }
      ++i;
    }
  }
  if (is_signature) head.erase(0, name_start);
  return result;
}

}  // namespace cgpu
