// The command line as the verbs declare it: their options, and what each option accepts. CLI11 parses it;
// command_line.cpp alone includes CLI11, which takes five seconds to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cgpu {

/// What a verb does once its options are known.
using Action = std::function<void()>;

/// An option of a verb. Its methods say what it accepts and return the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required();
  Option one_of(const std::vector<std::string>& values);
  Option between(int low, int high);
  Option between(double low, double high);
  /// Of several values one each time that the option is given, so that what follows is no value of it.
  Option one_at_a_time();
  /// Several values in one word, separated by commas.
  Option comma_separated();
  Option description(const std::string& about);

  /// What was declared. The names with their dashes, the short one first; "INPUT" of what is without a name.
  std::vector<std::string> names() const;
  bool is_named() const;
  bool is_flag() const;
  bool is_required() const;
  bool takes_several() const;
  bool takes_number() const;
  /// As given to one_of; none where other values may be given.
  std::vector<std::string> choices() const;
  std::string about() const;

 private:
  CLI::Option* option_;
};

/// A subcommand of the program.
class Verb {
 public:
  Verb(CLI::App* app, Action* chosen) : app_(app), chosen_(chosen) {}

  /// `names` as "-o,--output", or "INPUT" for what is without a name. `value` takes what the user gives and keeps
  /// its default otherwise; it must live as long as the command line.
  Option add_option(const std::string& names, std::string& value, const std::string& about);
  Option add_option(const std::string& names, std::vector<std::string>& value, const std::string& about);
  Option add_option(const std::string& names, unsigned& value, const std::string& about);
  Option add_option(const std::string& names, double& value, const std::string& about);
  Option add_option(const std::string& names, std::optional<int>& value, const std::string& about);
  Option add_option(const std::string& names, std::optional<int64_t>& value, const std::string& about);
  Option add_option(const std::string& names, std::optional<size_t>& value, const std::string& about);
  Option add_flag(const std::string& names, bool& value, const std::string& about);
  /// What CommandLine::parse returns where the user names this verb.
  void set_action(Action action);

  std::string name() const;
  std::string about() const;
  /// An option added before.
  Option option(const std::string& name) const;
  /// All in the order in which they were added, behind `--help`.
  std::vector<Option> options() const;

 private:
  CLI::App* app_;
  Action* chosen_;
};

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& about, const std::string& version,
              const std::string& examples);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Verb add_verb(const std::string& name, const std::string& about);
  /// Has a verb take the words behind "--", or from the first on that is no option of its own: a command, as it is.
  /// `command` must live as long as the command line.
  void take_command(const Verb& verb, std::vector<std::string>& command);
  std::string about() const;
  std::vector<Verb> verbs() const;
  std::string help() const;

  /// Reads the words after the program's name and fills the options. Returns the action of the verb; none where help or
  /// version was asked for, which stdout then shows. Throws Error where the words cannot be understood.
  Action parse(std::vector<std::string> words);

 private:
  /// Takes the command out of the words of a verb that has one.
  void cut_command(std::vector<std::string>& words) const;

  std::unique_ptr<CLI::App> app_;
  Action chosen_;
  std::map<std::string, std::vector<std::string>*> commands_;  // by verb
};

}  // namespace cgpu
