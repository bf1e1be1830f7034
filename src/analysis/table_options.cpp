#include "analysis/table_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"

namespace cgpu {

namespace {

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string listed(const std::vector<TableOption>& options) {
  std::vector<std::string> names;
  for (const TableOption& option : options) names.push_back("--" + option.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The texts between the commas, each once.
std::vector<std::string> separated(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
    begin = end + 1;
  }
  return parts;
}

void check_choice(const TableOption& option, const std::string& given) {
  if (std::find(option.choices.begin(), option.choices.end(), given) != option.choices.end()) return;
  throw Error(fmt::format("--{}: '{}' is none of {}", option.name, given, fmt::join(option.choices, ", ")));
}

void check_value(const TableOption& option, const std::vector<std::string>& values) {
  const std::string given = values.empty() ? "" : values.back();
  if (option.kind == TableOption::Kind::choice) check_choice(option, given);
  if (option.kind == TableOption::Kind::choices) {
    for (const std::string& each : separated(given)) check_choice(option, each);
  }
  if (option.kind != TableOption::Kind::number) return;
  const auto number = number_of(given);
  if (!number || !(*number >= 0 && *number <= option.most)) {
    throw Error(fmt::format("--{}: '{}' is no number from 0 to {}", option.name, given, option.most));
  }
}

}  // namespace

const char* text_of(TableOption::Kind kind) {
  switch (kind) {
    case TableOption::Kind::flag:
      return "flag";
    case TableOption::Kind::choice:
      return "choice";
    case TableOption::Kind::choices:
      return "choices";
    case TableOption::Kind::number:
      return "number";
    case TableOption::Kind::file:
      return "file";
    case TableOption::Kind::names:
      break;
  }
  return "names";
}

TableOptions& TableOptions::set(const TableOption& option, std::vector<std::string> values) {
  return set(option.name, std::move(values));
}

std::vector<std::string> TableOptions::chosen(const TableOption& option) const {
  const std::string given = text(option);
  return given.empty() ? std::vector<std::string>() : separated(given);
}

TableOptions& TableOptions::set(std::string name, std::vector<std::string> values) {
  values_[std::move(name)] = std::move(values);
  return *this;
}

std::string TableOptions::text(const TableOption& option) const {
  const auto found = values_.find(option.name);
  return found == values_.end() || found->second.empty() ? option.fallback : found->second.back();
}

double TableOptions::number(const TableOption& option) const {
  return number_of(text(option)).value_or(0);
}

std::vector<std::string> TableOptions::names(const TableOption& option) const {
  const auto found = values_.find(option.name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

void check_options(std::string_view table, const std::vector<TableOption>& declared, const TableOptions& given) {
  for (const auto& [name, values] : given.all()) {
    const auto option = std::find_if(declared.begin(), declared.end(),
                                     [&, wanted = &name](const TableOption& each) { return each.name == *wanted; });
    if (option == declared.end()) {
      throw Error(fmt::format("table {} has no option --{} ({})", table, name,
                              declared.empty() ? "it has none of its own" : "it has: " + listed(declared)));
    }
    check_value(*option, values);
  }
}

}  // namespace cgpu
