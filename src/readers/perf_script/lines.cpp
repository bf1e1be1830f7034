#include "readers/perf_script/lines.h"

#include <algorithm>
#include <array>

#include "base/decimal.h"
#include "base/parse_number.h"
#include "model/time_range.h"

namespace cgpu::perf_script {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr size_t kBranchWidth = 20;  // of the kind of a branch
constexpr size_t kIndent = 4;        // of a symbol, for each level of calls

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trim_left(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}
std::string_view trim(std::string_view text) {
  text = trim_left(text);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// The text up to the next white space, which `text` then begins with.
std::string_view take_token(std::string_view& text) {
  const std::string_view token = text.substr(0, std::min(text.find_first_of(" \t"), text.size()));
  text.remove_prefix(token.size());
  return token;
}

bool all_of(std::string_view text, std::string_view set) {
  return !text.empty() && text.find_first_not_of(set) == std::string_view::npos;
}

/// "12" or "11/12".
bool parse_ids(std::string_view token, SampleLine& line) {
  const size_t slash = token.find('/');
  const std::string_view last = slash == std::string_view::npos ? token : token.substr(slash + 1);
  if (!all_of(last, kDigits)) return false;
  const auto thread = parse_number<int64_t>(last);
  if (!thread) return false;
  line.thread = *thread;
  line.process = -1;
  if (slash == std::string_view::npos) return true;
  if (!all_of(token.substr(0, slash), kDigits)) return false;
  const auto process = parse_number<int64_t>(token.substr(0, slash));
  line.process = process.value_or(-1);
  return process.has_value();
}

/// "203265.377019:"
bool has_form_of_time(std::string_view token) {
  const size_t point = token.find('.');
  return token.ends_with(':') && point != std::string_view::npos && all_of(token.substr(0, point), kDigits) &&
         all_of(token.substr(point + 1, token.size() - point - 2), kDigits);
}

/// Nothing where it is no time, or none that 64 bits hold: waiting (--off-cpu) comes behind all times.
std::optional<int64_t> parse_time(std::string_view token) {
  if (!has_form_of_time(token)) return std::nullopt;
  token.remove_suffix(1);
  const auto decimal = Decimal::parse(token);
  const auto time = decimal ? decimal->scaled(9) : std::nullopt;
  return time && is_time(*time) ? time : std::nullopt;
}

/// The kind of a branch at the beginning of `text`; "" for anything else.
std::string_view branch_of(std::string_view text) {
  static constexpr std::array<std::string_view, 14> kKinds{"call",    "return",  "jcc",    "jmp",    "int",
                                                           "iret",    "syscall", "sysret", "async",  "hw int",
                                                           "tx abrt", "tr strt", "tr end", "vmentry"};
  const std::string_view kind = trim(text.substr(0, std::min(kBranchWidth, text.size())));
  const bool known = std::any_of(kKinds.begin(), kKinds.end(), [&](std::string_view k) {
    return kind.starts_with(k) && (kind.size() == k.size() || kind[k.size()] == ' ');
  });
  return known ? kind : std::string_view();
}

/// What follows the ids; false where that is no sample.
bool parse_behind_ids(std::string_view text, SampleLine& line) {
  text = trim_left(text);
  std::string_view after = text;
  std::string_view token = take_token(after);
  if (token.size() > 2 && token.front() == '[' && token.back() == ']') {
    const auto cpu = parse_number<int32_t>(token.substr(1, token.size() - 2));
    if (!cpu) return false;
    line.cpu = *cpu;
    text = trim_left(after);
    after = text;
    token = take_token(after);
  }
  line.time = parse_time(token);
  if (has_form_of_time(token)) {
    text = trim_left(after);
    after = text;
    token = take_token(after);
  }
  line.branch = branch_of(text);
  if (!line.branch.empty()) {
    line.rest = text;
    return line.time.has_value();
  }
  if (all_of(token, kDigits)) {
    std::string_view behind = trim_left(after);
    const std::string_view event = take_token(behind);
    if (event.ends_with(':') && event.size() > 1) {
      line.period = parse_number<int64_t>(token);
      token = event;
      after = behind;
    }
  }
  if (token.ends_with(':') && token.size() > 1) {
    line.event = token.substr(0, token.size() - 1);
    line.rest = trim(after);
    if (line.time) line.branch = branch_of(line.rest);
    return true;
  }
  line.rest = trim(text);
  return line.time && (line.rest.empty() || parse_frame_line(line.rest));
}

std::string_view without_offset(std::string_view name) {
  const size_t plus = name.rfind("+0x");
  return plus != std::string_view::npos && plus > 0 && all_of(name.substr(plus + 3), kHexDigits) ? name.substr(0, plus)
                                                                                                 : name;
}

/// Where the parenthesis opens that the last character closes, behind a space; npos where it does not.
size_t last_group(std::string_view text) {
  if (!text.ends_with(')')) return std::string_view::npos;
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) {
      return i == 0 || text[i - 1] == ' ' ? i : std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<SampleLine> parse_sample_line(std::string_view line) {
  // A command's name may hold spaces and numbers: the ids are the first numbers behind it that a sample follows.
  std::string_view text = trim(line);
  const char* const begin = text.data();
  take_token(text);
  while (!text.empty()) {
    text = trim_left(text);
    const char* const here = text.data();
    const std::string_view token = take_token(text);
    SampleLine sample;
    if (!parse_ids(token, sample) || !parse_behind_ids(text, sample)) continue;
    sample.comm = trim(std::string_view(begin, static_cast<size_t>(here - begin)));
    return sample;
  }
  return std::nullopt;
}

std::optional<FrameLine> parse_frame_line(std::string_view line) {
  std::string_view text = trim(line);
  const std::string_view whole = text;
  const std::string_view address = take_token(text);
  text = trim_left(text);
  // Without an address the first is the name, even one of hexadecimal digits.
  if (!all_of(address, kHexDigits) || text.empty() || last_group(text) == 0) text = whole;
  const size_t group = last_group(text);
  if (group == std::string_view::npos && text.size() == whole.size()) return std::nullopt;
  FrameLine frame;
  frame.name = text;
  if (group != std::string_view::npos) {
    frame.name = trim(text.substr(0, group));
    frame.module = text.substr(group + 1, text.size() - group - 2);
    if (frame.module == "[unknown]" || frame.module == "inlined") frame.module = {};
  }
  frame.name = without_offset(frame.name);
  if (frame.name.empty()) frame.name = "[unknown]";
  return frame;
}

std::optional<BranchSymbol> parse_branch_symbol(std::string_view rest) {
  if (rest.size() <= kBranchWidth) return std::nullopt;
  rest.remove_prefix(kBranchWidth);
  const size_t indent = rest.find_first_not_of(' ');
  if (indent == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(indent);
  size_t end = rest.find("  ");
  if (end == std::string_view::npos) end = std::min(rest.find(' '), rest.size());
  // Where there is no symbol, the first text is the address that comes behind it.
  if (end == rest.size() || !parse_frame_line(rest.substr(end))) return std::nullopt;
  if (rest.substr(end).find('(') == std::string_view::npos) return std::nullopt;
  const std::string_view behind = trim_left(rest.substr(end));
  if (!all_of(behind.substr(0, std::min(behind.find(' '), behind.size())), kHexDigits)) return std::nullopt;
  return BranchSymbol{without_offset(rest.substr(0, end)), indent / kIndent};
}

}  // namespace cgpu::perf_script
