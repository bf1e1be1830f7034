// The options that single tables take, besides those that every table takes: declared once, by the table.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

struct TableOption {
  enum class Kind : uint8_t {
    flag,     // there or not
    choice,   // one of `choices`
    choices,  // one or several of `choices`, separated by commas
    number,   // 0 to `most`
    names,    // any number of them
    file,     // the name of a file of the user; not for requests from elsewhere
  };
  std::string name;  // as on the command line, without the dashes: "names"
  Kind kind = Kind::flag;
  std::string fallback;  // the default; "" for no names, and for a flag that is not set
  std::string about;     // one line
  std::vector<std::string> choices = {};  // of a choice, or of choices
  double most = 100;  // of a number
};
const char* text_of(TableOption::Kind kind);  // "flag", ...

/// What was given for the options of a table. The values have been checked (check_options).
class TableOptions {
 public:
  /// Returns itself, so that several can be set in one expression.
  TableOptions& set(const TableOption& option, std::vector<std::string> values = {""});
  TableOptions& set(std::string name, std::vector<std::string> values);

  bool flag(const TableOption& option) const { return values_.count(option.name) > 0; }
  std::string text(const TableOption& option) const;
  double number(const TableOption& option) const;
  std::vector<std::string> names(const TableOption& option) const;
  /// Of `choices`: those that were chosen, in the order in which they were given, each once.
  std::vector<std::string> chosen(const TableOption& option) const;

  const std::map<std::string, std::vector<std::string>>& all() const { return values_; }

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

/// Throws Error where a table called `table` that takes `declared` does not take what was given, by name or value.
void check_options(std::string_view table, const std::vector<TableOption>& declared, const TableOptions& given);

}  // namespace cgpu
