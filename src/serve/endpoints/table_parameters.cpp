#include "serve/endpoints/table_parameters.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "serve/http/parameters.h"

namespace cgpu {

namespace {

/// The values of a parameter, which the request has no longer.
std::vector<std::string> take(const std::string& name, Request& request) {
  std::vector<std::string> values;
  const auto [first, last] = request.query.equal_range(name);
  for (auto at = first; at != last; ++at) values.push_back(at->second);
  request.query.erase(first, last);
  return values;
}

void check_once(const std::string& name, const std::vector<std::string>& values) {
  if (values.size() > 1) throw RequestError(kBadRequest, name + " is given more than once");
}

}  // namespace

const Analysis& table_called(std::string_view name) {
  const auto& all = all_analyses();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Analysis& each) { return each.name == name; });
  if (found == all.end()) throw RequestError(kNotFound, "there is no such table");
  return *found;
}

TableOptions take_options(const Analysis& table, Request& request) {
  TableOptions options;
  for (const TableOption& option : table.options) {
    if (option.kind == TableOption::Kind::file) continue;
    std::vector<std::string> values = take(option.name, request);
    if (option.kind != TableOption::Kind::names) check_once(option.name, values);
    if (values.empty()) continue;
    if (option.kind == TableOption::Kind::flag) {
      if (parse_integer(values.front(), option.name, 0, 1) == 0) continue;
      values = {""};
    }
    options.set(option, std::move(values));
  }
  try {
    check_options(table.name, table.options, options);
  } catch (const Error& error) {
    throw RequestError(kBadRequest, error.what());
  }
  return options;
}

Row take_row_key(const Analysis& table, Request& request) {
  Row key;
  for (const std::string& column : table.row_slices.keys) {
    const std::vector<std::string> values = take(column, request);
    check_once(column, values);
    key.push_back(values.empty() ? Cell() : Cell(values.front()));
  }
  return key;
}

}  // namespace cgpu
