#include "report/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kernels/head_symbol.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Reads a demangled name from left to right and keeps what tells it apart.
class BriefName {
 public:
  explicit BriefName(std::string_view name) : rest_(name) {}

  std::string take() {
    std::string brief = part(0);
    brief += rest_;  // behind a bracket that was never opened
    return brief;
  }

 private:
  static constexpr int kDeepest = 64;

  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  /// The "const" behind a member function.
  bool skip_const() {
    constexpr std::string_view kConst = " const";
    if (!rest_.starts_with(kConst)) return false;
    const std::string_view behind = rest_.substr(kConst.size());
    return (behind.empty() || std::string_view(":,>").find(behind[0]) != std::string_view::npos) && skip(kConst);
  }

  /// Skips from an opening bracket to behind the one that closes it.
  void skip_group(char open, char close) {
    int depth = 0;
    size_t at = 0;
    for (; at < rest_.size(); ++at) {
      if (rest_[at] == open) ++depth;
      if (rest_[at] == close && --depth == 0) break;
    }
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
  }

  /// Up to an unmatched ',' or '>' or the end.
  std::string part(int depth) {
    std::string brief;
    while (!rest_.empty() && rest_[0] != ',' && rest_[0] != '>') {
      if (skip("(anonymous namespace)::") || skip("::operator()") || skip_const()) continue;
      if (rest_.starts_with("::{") || rest_.starts_with("::'")) rest_.remove_prefix(2);
      const char c = rest_[0];
      size_t word = 0;
      while (word < rest_.size() && is_identifier(rest_[word])) ++word;
      if (word > 0) {
        const std::string_view name = rest_.substr(0, word);
        rest_.remove_prefix(word);
        const bool inside = rest_.starts_with("::{") || rest_.starts_with("::operator()") || rest_.starts_with("::'");
        if (inside || !skip("::")) brief += name;
      } else if (c == '(') {
        skip_group('(', ')');
      } else if (c == '{') {
        skip_group('{', '}');
      } else if (c == '\'') {
        rest_.remove_prefix(std::min(rest_.find('\'', 1), rest_.size() - 1) + 1);
      } else if (c == '<' && depth < kDeepest) {
        brief += arguments(depth);
      } else {
        brief += c;
        rest_.remove_prefix(1);
        if (c == '<') {  // too deep to be a name
          brief += rest_;
          rest_ = {};
        }
      }
    }
    while (brief.ends_with(' ')) brief.pop_back();
    return brief;
  }

  /// "<...>" with the arguments that say something.
  std::string arguments(int depth) {
    static constexpr std::string_view kEverywhere[] = {"Array<",
                                                       "array<",
                                                       "TrivialOffsetCalculator<",
                                                       "OffsetCalculator<",
                                                       "LoadWithoutCast",
                                                       "StoreWithoutCast",
                                                       "LoadWithCast",
                                                       "StoreWithCast"};
    std::string kept;
    do {
      rest_.remove_prefix(1);  // '<' or ','
      while (skip(" ")) continue;
      const std::string argument = part(depth + 1);
      const bool says_nothing = std::any_of(std::begin(kEverywhere), std::end(kEverywhere),
                                            [&](std::string_view head) { return argument.starts_with(head); });
      if (!argument.empty() && !says_nothing) kept += (kept.empty() ? "" : ", ") + argument;
    } while (rest_.starts_with(','));
    const bool closed = skip(">");
    return kept.empty() ? "" : "<" + kept + (closed ? ">" : "");
  }

  std::string_view rest_;
};

}  // namespace

std::string share_text(double part, double whole) {
  if (!(whole > 0)) return "none";
  const double percent = 100 * part / whole;
  if (part > 0 && percent < 0.05) return "<0.1%";
  if (part < whole && percent >= 99.95) return ">99.9%";
  return fmt::format("{:.1f}%", percent);
}

std::string share_text(int64_t part, int64_t whole) {
  return share_text(static_cast<double>(part), static_cast<double>(whole));
}

std::string counted(int64_t count, std::string_view one, std::string_view many) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", format_count(count), one)
                      : fmt::format("{} {}", format_count(count), many);
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string as_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string unknown_rest(bool several, std::string_view why) {
  return fmt::format("what {} did besides is not known: {}", several ? "they" : "it", why);
}

std::string quoted_name(std::string_view name) {
  return shorten(printable(name), 64);
}

std::string largest_shares(std::vector<NamedTime> parts, int64_t whole, size_t most) {
  std::ranges::stable_sort(parts, [](const NamedTime& a, const NamedTime& b) { return a.time > b.time; });
  std::vector<std::string> shown;
  for (const NamedTime& part : parts) {
    const bool small = static_cast<double>(part.time) < 0.01 * static_cast<double>(whole);
    if (part.time <= 0 || shown.size() == most || (small && !shown.empty())) break;
    shown.push_back(quoted_name(part.name) + " " + share_text(part.time, whole));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::string brief_kernel_name(std::string_view name) {
  constexpr size_t kLongest = 4096;  // longer names are cut
  if (name.size() > kLongest) return std::string(name);
  if (name.starts_with("_Z")) {  // what the demangler could not read
    const HeadSymbol symbol = split_head_symbol(name);
    return symbol.head.substr(symbol.head.rfind(':') + 1) + symbol.arguments;
  }
  const size_t bracket = name.find_first_of("<(");
  const bool called = bracket != std::string_view::npos && bracket > 0 && is_identifier(name[bracket - 1]);
  if (!called && name.find("::") == std::string_view::npos) return std::string(name);
  std::string_view symbol = name;
  if (symbol.starts_with("void ")) symbol.remove_prefix(5);
  std::string brief = BriefName(symbol).take();
  return brief.empty() ? std::string(name) : brief;
}

void make_names_brief(Table& kernels) {
  kernels.map_text(kernels.column("name"), [](std::string_view name) { return brief_kernel_name(std::string(name)); });
}

}  // namespace cgpu
