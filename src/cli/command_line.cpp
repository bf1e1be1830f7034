#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/error.h"

namespace cgpu {

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option Option::between(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option Option::between(double low, double high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option Option::comma_separated() {
  option_->delimiter(',')->allow_extra_args(false);
  return *this;
}

Option Option::description(const std::string& about) {
  option_->description(about);
  return *this;
}

Option Verb::add_option(const std::string& names, std::string& value, const std::string& about) {
  return Option(app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names, std::vector<std::string>& value, const std::string& about) {
  return Option(app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names, unsigned& value, const std::string& about) {
  return Option(app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names, double& value, const std::string& about) {
  return Option(app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names, std::optional<int>& value, const std::string& about) {
  return Option(app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names, std::optional<int64_t>& value, const std::string& about) {
  return Option(app_->add_option(names, value, about));
}

Option Verb::add_option(const std::string& names, std::optional<size_t>& value, const std::string& about) {
  return Option(app_->add_option(names, value, about));
}

Option Verb::add_flag(const std::string& names, bool& value, const std::string& about) {
  return Option(app_->add_flag(names, value, about));
}

void Verb::set_action(Action action) {
  app_->callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

std::string Verb::name() const {
  return app_->get_name();
}

Option Verb::option(const std::string& name) const {
  return Option(app_->get_option(name));
}

std::vector<std::string> Verb::long_option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

CommandLine::CommandLine(const std::string& program, const std::string& about, const std::string& version,
                         const std::string& examples)
    : app_(std::make_unique<CLI::App>(about)) {
  app_->name(program);
  app_->set_version_flag("--version", program + " " + version);
  app_->require_subcommand(1);
  app_->footer(examples);
}

CommandLine::~CommandLine() = default;

Verb CommandLine::add_verb(const std::string& name, const std::string& about) {
  return {app_->add_subcommand(name, about), &chosen_};
}

std::vector<Verb> CommandLine::verbs() const {
  std::vector<Verb> verbs;
  for (CLI::App* verb : app_->get_subcommands({})) verbs.emplace_back(verb, nullptr);
  return verbs;
}

std::string CommandLine::help() const {
  return app_->help();
}

Action CommandLine::parse(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app_->parse(words);
  } catch (const CLI::Success& help) {
    app_->exit(help);
    return {};
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw Error(what + " (cgpu --help lists the verbs, cgpu VERB --help its options)");
  }
  return chosen_;
}

}  // namespace cgpu
