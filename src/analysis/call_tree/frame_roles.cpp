#include "analysis/call_tree/frame_roles.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/regex_set.h"
#include "base/rule_lines.h"

namespace cgpu {

extern const std::string_view builtin_frame_rules;

namespace {

constexpr std::array<std::string_view, 14> kRoles{
    "user", "interpreter", "runtime", "garbage_collection", "allocation", "page_fault", "io",
    "lock", "thread_wait", "sleep",   "device_wait",        "mpi",        "mpi_setup",  "openmp_wait"};

/// A regular expression; null matches anything.
using Pattern = std::unique_ptr<RE2>;

struct FrameRule {
  FrameRole role;
  Pattern function;
  Pattern module;
  Pattern file;
};

Pattern pattern_of(std::string_view text) {
  if (text == "-") return nullptr;
  auto pattern = std::make_unique<RE2>(piece_of(text), regex_options());
  if (!pattern->ok()) throw Error(fmt::format("frame_rules.txt: '{}': {}", text, pattern->error()));
  return pattern;
}

FrameRole role_named(std::string_view name) {
  const auto at = std::find(kRoles.begin(), kRoles.end(), name);
  if (at == kRoles.end()) throw Error(fmt::format("frame_rules.txt: no role is called '{}'", name));
  return static_cast<FrameRole>(at - kRoles.begin());
}

std::vector<FrameRule> read_frame_rules(std::string_view text) {
  std::vector<FrameRule> rules;
  each_rule_line(text, [&](std::string_view line, int number) {
    std::array<std::string_view, 4> words;
    for (std::string_view& word : words) word = take_word(line);
    if (words.back().empty() || !line.empty()) throw Error(fmt::format("frame_rules.txt: line {} is no rule", number));
    rules.push_back({role_named(words[0]), pattern_of(words[1]), pattern_of(words[2]), pattern_of(words[3])});
  });
  return rules;
}

bool matches(const Pattern& pattern, std::string_view text) {
  return !pattern || RE2::PartialMatch(piece_of(text), *pattern);
}

}  // namespace

std::string_view text_of(FrameRole role) {
  return kRoles[static_cast<size_t>(role)];
}

FrameRole frame_role(std::string_view function, std::string_view module, std::string_view file) {
  static const std::vector<FrameRule> rules = read_frame_rules(builtin_frame_rules);
  if (function.ends_with(']')) {
    // "PMPI_Bcast [libmpi.so.40]", and "vfs_read_[k]" of the kernel in folded stacks.
    const size_t open = function.rfind('[');
    const bool is_mark = open != std::string_view::npos && open > 0;
    if (is_mark && (function[open - 1] == ' ' || function[open - 1] == '_')) {
      if (module.empty()) module = function.substr(open);
      function = function.substr(0, open - 1);
    }
  }
  if (function.starts_with("__GI_")) function.remove_prefix(5);
  const size_t mark = function.find('@', function.empty() ? 0 : 1);  // "malloc@plt", "pthread_cond_wait@@GLIBC_2.3.2"
  const bool is_stub = function.ends_with("@plt");
  function = function.substr(0, mark);
  for (const FrameRule& rule : rules) {
    if (matches(rule.function, function) && matches(rule.module, module) && matches(rule.file, file)) return rule.role;
  }
  return is_stub ? FrameRole::runtime : FrameRole::user;
}

}  // namespace cgpu
