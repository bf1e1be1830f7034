// cgpu completion SHELL: a script that completes verbs, options, table names and files.
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "cli/compare_many.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "comparison/tables/comparison_table.h"
#include "scaling/scaling.h"

namespace cgpu {

namespace {

/// The long names of the options of a verb, with their dashes.
std::string options_of(const Verb& verb) {
  std::vector<std::string> names;
  for (const Option& option : verb.options()) {
    if (option.is_named()) names.push_back(option.names().back());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string verbs_of(const CommandLine& line) {
  std::vector<std::string> names;
  for (const Verb& verb : line.verbs()) names.push_back(verb.name());
  return fmt::format("{}", fmt::join(names, " "));
}

std::string tables() {
  std::vector<std::string> names;
  for (const Analysis& analysis : all_analyses()) names.push_back(analysis.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// Those that two runs, or more, are compared by.
std::string tables_of_comparisons() {
  std::vector<std::string> names;
  for (const ComparisonTable& table : comparison_tables()) names.push_back(table.name);
  for (const DeclaredTable& table : tables_of_many_runs()) names.push_back(table.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string tables_of_scaling() {
  std::vector<std::string> names;
  for (const Table& table : scale_tables()) names.push_back(table.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// What an option takes, where that is one of some words; those of tables are the words of all that have it.
std::string values_of(const Verb& verb, const Option& option) {
  const std::string name = option.names().back();
  if (name == "--table") return verb.name() == "scale" ? tables_of_scaling() : tables_of_comparisons();
  const std::vector<std::string> declared = option.choices();
  std::set<std::string> choices(declared.begin(), declared.end());
  if (verb.name() == "table") {
    for (const Analysis& analysis : all_analyses()) {
      for (const TableOption& one : analysis.options) {
        if ("--" + one.name == name) choices.insert(one.choices.begin(), one.choices.end());
      }
    }
  }
  return fmt::format("{}", fmt::join(choices, " "));
}

/// The patterns of `case` that stand for the names of an option of a verb: "check --format"; of what stands without a
/// name, for the verb before it.
std::string bash_patterns(const Verb& verb, const Option& option) {
  if (!option.is_named()) return fmt::format("\"{0} {0}\"", verb.name());
  std::vector<std::string> patterns;
  for (const std::string& name : option.names()) patterns.push_back(fmt::format("\"{} {}\"", verb.name(), name));
  return fmt::format("{}", fmt::join(patterns, " | "));
}

std::string bash_script(const CommandLine& line) {
  std::string options;
  std::string values;
  for (const Verb& verb : line.verbs()) {
    options += fmt::format("    {}) options=\"{}\" ;;\n", verb.name(), options_of(verb));
    for (const Option& option : verb.options()) {
      const std::string choices = values_of(verb, option);
      if (!choices.empty()) {
        values += fmt::format("    {}) values=\"{}\" ;;\n", bash_patterns(verb, option), choices);
      } else if (option.takes_number()) {
        values += fmt::format("    {}) return ;;\n", bash_patterns(verb, option));
      } else if (option.is_named() && !option.is_flag()) {
        values += fmt::format("    {}) files=1 ;;\n", bash_patterns(verb, option));
      }
    }
  }
  // Bash takes the "=" of --format=json for a word of its own.
  return fmt::format(R"(_cgpu() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD - 1]}}" verb="${{COMP_WORDS[1]}}"
  local options="" values="" files="" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{0} --help --version" -- "$word") $(compgen -f -- "$word"))
    return
  fi
  if [ "$word" = "=" ]; then
    word=""
  elif [ "$before" = "=" ]; then
    before="${{COMP_WORDS[COMP_CWORD - 2]}}"
  fi
  case "$verb $before" in
{2}  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
    return
  fi
  if [ -n "$files" ]; then
    COMPREPLY=($(compgen -f -- "$word"))
    return
  fi
  case "$verb" in
{1}  esac
  [ "$verb" = table ] && words="{3}"
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word") $(compgen -W "$words" -- "$word")) ;;
  esac
}}
complete -o filenames -F _cgpu cgpu
)",
                     verbs_of(line), options, values, tables());
}

/// `text` with `by` before each character of `which`.
std::string with_before(const std::string& text, std::string_view which, std::string_view by) {
  std::string out;
  for (const char c : text) {
    if (which.find(c) != std::string_view::npos) out += by;
    out += c;
  }
  return out;
}

/// Inside of single quotes of zsh, which know no escapes: an apostrophe ends them and begins others.
std::string in_zsh_quotes(std::string text) {
  for (size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4) text.replace(at, 1, R"('\'')");
  return text;
}

/// As _arguments wants it: '(-o --output)'{-o,--output}'[Write to this file]:value:_files'
std::string zsh_argument(const Verb& verb, const Option& option) {
  const std::string choices = values_of(verb, option);
  const std::string value = choices.empty() ? "_files" : "(" + choices + ")";
  if (!option.is_named()) {
    return fmt::format("'{}: :{}'", option.takes_several() ? "*" : "",
                       verb.name() == "table" ? "_cgpu_inputs_and_tables" : value);
  }
  const std::vector<std::string> names = option.names();
  const std::string rest = fmt::format("'[{}]{}'", in_zsh_quotes(with_before(option.about(), "[]:\\", "\\")),
                                       option.is_flag() ? std::string() : ":value:" + value);
  if (names.size() == 1) return names[0] + rest;
  return fmt::format("'({})'{{{}}}{}", fmt::join(names, " "), fmt::join(names, ","), rest);
}

/// Read by `source` as well as from a folder of zsh's functions.
std::string zsh_script(const CommandLine& line) {
  std::string verbs;
  std::string cases;
  for (const Verb& verb : line.verbs()) {
    verbs += fmt::format("    '{}:{}'\n", verb.name(), in_zsh_quotes(with_before(verb.about(), ":", "\\")));
    cases += fmt::format("    {})\n      _arguments \\\n", verb.name());
    std::vector<std::string> arguments;
    for (const Option& option : verb.options()) arguments.push_back("        " + zsh_argument(verb, option));
    cases += fmt::format("{}\n      ;;\n", fmt::join(arguments, " \\\n"));
  }
  return fmt::format(R"(#compdef cgpu
_cgpu_inputs_and_tables() {{
  _files
  compadd -- {2}
}}
_cgpu() {{
  local -a verbs=(
{0}  )
  if ((CURRENT == 2)); then
    _describe command verbs
    _files
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
{1}    *) _files ;;
  esac
}}
if [ "$funcstack[1]" = _cgpu ]; then
  _cgpu "$@"
else
  compdef _cgpu cgpu
fi
)",
                     verbs, cases, tables());
}

std::string fish_script(const CommandLine& line) {
  const auto in_quotes = [](const std::string& text) { return "'" + with_before(text, "'\\", "\\") + "'"; };
  std::string script;
  for (const Verb& verb : line.verbs()) {
    script +=
        fmt::format("complete -c cgpu -n __fish_use_subcommand -a {} -d {}\n", verb.name(), in_quotes(verb.about()));
    for (const Option& option : verb.options()) {
      std::string what;
      for (const std::string& name : option.names()) {
        if (option.is_named())
          what += (name.starts_with("--") ? " -l " : " -s ") + name.substr(name.find_first_not_of('-'));
      }
      const std::string choices = values_of(verb, option);
      if (!choices.empty()) {
        what += fmt::format(" -x -a '{}'", choices);
      } else if (option.is_named() && !option.is_flag()) {
        what += " -r";
      }
      if (what.empty()) continue;
      script += fmt::format("complete -c cgpu -n '__fish_seen_subcommand_from {}'{} -d {}\n", verb.name(), what,
                            in_quotes(option.about()));
    }
  }
  return script + fmt::format("complete -c cgpu -n '__fish_seen_subcommand_from table' -a '{}'\n", tables());
}

}  // namespace

void add_completion_verb(CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  Verb verb = line.add_verb("completion", "Shell completion: source <(cgpu completion bash)");
  verb.add_option("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  verb.set_action([&line, shell] {
    write_output("", [&](std::ostream& out) {
      out << (*shell == "bash" ? bash_script(line) : *shell == "zsh" ? zsh_script(line) : fish_script(line));
    });
  });
}

}  // namespace cgpu
