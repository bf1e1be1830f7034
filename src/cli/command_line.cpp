#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "cli/output.h"

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

std::vector<std::string> Option::names() const {
  if (!is_named()) return {option_->get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option_->get_snames()) names.push_back("-" + name);
  for (const std::string& name : option_->get_lnames()) names.push_back("--" + name);
  return names;
}

bool Option::is_named() const {
  return option_->nonpositional();
}

bool Option::is_flag() const {
  return option_->get_expected_max() == 0;
}

Option Option::one_at_a_time() {
  option_->allow_extra_args(false);
  return *this;
}

bool Option::is_required() const {
  return option_->get_required();
}

bool Option::takes_several() const {
  return option_->get_expected_max() > 1;
}

bool Option::takes_number() const {
  const std::string type = option_->get_type_name();  // "UINT", "INT:INT in [1 - 9]", as CLI11 writes it
  return type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT");
}

std::vector<std::string> Option::choices() const {
  const std::string type = option_->get_type_name();  // "TEXT:{text,json}", as CLI11 writes what IsMember allows
  const size_t begin = type.find(":{");
  if (begin == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 2, type.find('}', begin) - begin - 2), ',');
}

std::string Option::about() const {
  return option_->get_description();
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

std::string Verb::about() const {
  return app_->get_description();
}

Option Verb::option(const std::string& name) const {
  return Option(app_->get_option(name));
}

std::vector<Option> Verb::options() const {
  std::vector<Option> options;
  for (CLI::Option* option : app_->get_options({})) options.emplace_back(option);
  return options;
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

std::string CommandLine::about() const {
  return app_->get_description();
}

std::vector<Verb> CommandLine::verbs() const {
  std::vector<Verb> verbs;
  for (CLI::App* verb : app_->get_subcommands({})) verbs.emplace_back(verb, nullptr);
  return verbs;
}

std::string CommandLine::help() const {
  return app_->help();
}

void CommandLine::take_command(const Verb& verb, std::vector<std::string>& command) {
  commands_[verb.name()] = &command;
}

void CommandLine::cut_command(std::vector<std::string>& words) const {
  const auto taken = words.empty() ? commands_.end() : commands_.find(words[0]);
  if (taken == commands_.end()) return;
  const CLI::App* verb = app_->get_subcommand(words[0]);
  size_t at = 1;
  while (at < words.size() && words[at] != "--" && words[at].starts_with("-")) {
    const CLI::Option* option = verb->get_option_no_throw(words[at]);
    const bool has_value = option != nullptr && option->get_expected_max() > 0;
    at += has_value ? 2 : 1;
  }
  if (at >= words.size()) return;
  const size_t first = words[at] == "--" ? at + 1 : at;
  taken->second->assign(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
  words.resize(at);
}

Action CommandLine::parse(std::vector<std::string> words) {
  cut_command(words);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app_->parse(words);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    app_->exit(help, text, text);
    write_output("", [&](std::ostream& out) { out << text.str(); });
    return {};
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw Error(what + " (cgpu --help lists the verbs, cgpu VERB --help its options)");
  }
  return chosen_;
}

}  // namespace cgpu
