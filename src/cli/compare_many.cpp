#include "cli/compare_many.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "cli/run_inputs.h"
#include "gate/figures/run_properties.h"
#include "gate/runs/many_runs.h"

namespace cgpu {

namespace {

constexpr const char* kNotSaid = "(none)";

}  // namespace

Compared compare_many(const InputOptions& input, const std::vector<std::string>& runs, const std::string& by,
                      const std::string& metric, const std::vector<std::string>& shown_keys) {
  std::vector<std::string> shown;  // each once
  for (const std::string& key : shown_keys) {
    if (std::find(shown.begin(), shown.end(), key) == shown.end()) shown.push_back(key);
  }
  std::vector<GivenRun> given;
  std::set<std::string> keys;
  std::set<std::string> missing(shown.begin(), shown.end());
  if (!by.empty()) missing.insert(by);
  ComparedRunOpener opener(input, metric);
  for (const std::string& run : runs) {
    Table info("info", "");
    given.push_back({{run, opener.open(run, info)}});
    const std::map<std::string, std::string> properties = properties_of(run, info);
    const auto said = [&](const std::string& key) {
      const std::optional<std::string> value = property_called(properties, key);
      if (value) missing.erase(key);
      return value;
    };
    if (!by.empty()) given.back().property = said(by).value_or(kNotSaid);
    for (const std::string& key : shown) given.back().said.push_back(said(key));
    for (const auto& [key, value] : properties) keys.insert(key);
  }
  if (!missing.empty()) {
    throw Error(fmt::format("compare: --{} {}: no run says that of itself; they say {}",
                            missing.contains(by) ? "by" : "columns", missing.contains(by) ? by : *missing.begin(),
                            fmt::join(keys, ", ")));
  }
  ManyRuns many = compare_runs(std::move(given), by, opener.by_call_trees(), shown);
  Compared compared;
  compared.title = fmt::format("{} runs compared", runs.size());
  compared.inputs = runs;
  compared.hides_empty_columns = true;
  for (const std::string& line : many.words) compared.words += line + "\n";
  compared.tables = {std::move(many.runs), std::move(many.groups), std::move(many.statistics)};
  return compared;
}

std::vector<DeclaredTable> tables_of_many_runs() {
  std::vector<DeclaredTable> declared;
  for (const Table& table : {compare_runs_table(), compare_groups_table(), compare_statistics_table()}) {
    declared.push_back(
        {.name = table.name, .about = table.about, .subject = "more than two runs", .columns = table.columns});
  }
  return declared;
}

}  // namespace cgpu
