// cgpu completion SHELL: a script that completes verbs, options, table names and files.
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "analysis/analysis.h"
#include "cli/verb.h"

namespace cgpu {

namespace {

std::string options_of(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

std::string tables() {
  std::vector<std::string> names;
  for (const Analysis& analysis : all_analyses()) names.push_back(analysis.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash_script(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* verb : app.get_subcommands({})) {
    cases += fmt::format("    {}) options=\"{}\" ;;\n", verb->get_name(), options_of(*verb));
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
                     verbs_of(app), cases, tables());
}

std::string fish_script(const CLI::App& app) {
  std::string script = fmt::format("complete -c cgpu -n __fish_use_subcommand -a \"{}\"\n", verbs_of(app));
  for (const CLI::App* verb : app.get_subcommands({})) {
    for (const CLI::Option* option : verb->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        script += fmt::format("complete -c cgpu -n \"__fish_seen_subcommand_from {}\" -l {}\n", verb->get_name(), name);
      }
    }
  }
  return script + fmt::format("complete -c cgpu -n \"__fish_seen_subcommand_from table\" -a \"{}\"\n", tables());
}

}  // namespace

void add_completion_verb(CLI::App& app, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("completion", "Shell completion: source <(cgpu completion bash)");
  verb->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  verb->callback([&app, &action, shell] {
    action = [&app, shell] {
      if (*shell == "fish") {
        std::cout << fish_script(app);
      } else {
        if (*shell == "zsh") std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
        std::cout << bash_script(app);
      }
    };
  });
}

}  // namespace cgpu
