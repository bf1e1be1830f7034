#include "cli/run_inputs.h"

#include <glob.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace cgpu {

std::vector<std::string> separate_runs(const std::vector<std::string>& inputs) {
  std::vector<std::string> runs;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (input.find_first_of("*?[") == std::string::npos || std::filesystem::exists(input, ignored)) {
      runs.push_back(input);
      continue;
    }
    glob_t found{};
    if (::glob(input.c_str(), 0, nullptr, &found) == 0) {
      for (size_t i = 0; i < found.gl_pathc; ++i) runs.emplace_back(found.gl_pathv[i]);
    }
    const bool none = found.gl_pathc == 0;
    ::globfree(&found);
    if (none) throw Error(input, "no file or folder matches");
  }
  return runs;
}

RunFigures figures_of_run(const std::string& run, const InputOptions& common, const WantedFigures& wanted,
                          Table* info) {
  InputOptions options = common;
  options.inputs = {run};
  return collect_figures(source_of(options), wanted, info);
}

RunFigures ComparedRunOpener::open(const std::string& run, Table& info) {
  RunFigures figures = figures_of_run(run, common_, wanted_, &info);
  if (figures.span_ns == 0) {
    by_call_trees_ = true;
    if (wanted_.metric.empty()) wanted_.metric = figures.calls.metric;
  }
  return figures;
}

}  // namespace cgpu
