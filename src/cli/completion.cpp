// cgpu completion SHELL: a script that completes verbs, options, table names and files.
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "analysis/analysis.h"
#include "cli/verb.h"

namespace cgpu {

namespace {

std::string options_of(const Verb& verb) {
  std::vector<std::string> names;
  for (const std::string& name : verb.long_option_names()) names.push_back("--" + name);
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

std::string bash_script(const CommandLine& line) {
  std::string cases;
  for (const Verb& verb : line.verbs()) {
    cases += fmt::format("    {}) options=\"{}\" ;;\n", verb.name(), options_of(verb));
  }
  return fmt::format(R"(_cgpu() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{0} --help --version" -- "$word") $(compgen -f -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{1}  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *)
      COMPREPLY=($(compgen -f -- "$word"))
      if [ "${{COMP_WORDS[1]}}" = table ]; then COMPREPLY+=($(compgen -W "{2}" -- "$word")); fi
      ;;
  esac
}}
complete -o filenames -F _cgpu cgpu
)",
                     verbs_of(line), cases, tables());
}

std::string fish_script(const CommandLine& line) {
  std::string script = fmt::format("complete -c cgpu -n __fish_use_subcommand -a \"{}\"\n", verbs_of(line));
  for (const Verb& verb : line.verbs()) {
    for (const std::string& name : verb.long_option_names()) {
      script += fmt::format("complete -c cgpu -n \"__fish_seen_subcommand_from {}\" -l {}\n", verb.name(), name);
    }
  }
  return script + fmt::format("complete -c cgpu -n \"__fish_seen_subcommand_from table\" -a \"{}\"\n", tables());
}

}  // namespace

void add_completion_verb(CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  Verb verb = line.add_verb("completion", "Shell completion: source <(cgpu completion bash)");
  verb.add_option("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  verb.set_action([&line, shell] {
    if (*shell == "fish") {
      std::cout << fish_script(line);
    } else {
      if (*shell == "zsh") std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
      std::cout << bash_script(line);
    }
  });
}

}  // namespace cgpu
