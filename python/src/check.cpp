#include "check.h"

#include <utility>

#include "base/json_text.h"
#include "gate/check_output.h"
#include "gate/collect_figures.h"
#include "opening.h"
#include "session/open.h"
#include "session/selection.h"
#include "work.h"

namespace cgpu::python {

namespace {

std::vector<CheckedRun> opened(const std::vector<std::string>& inputs, const InputOptions& common,
                               const std::string& metric, const Stopped& stopped) {
  std::vector<CheckedRun> runs;
  for (const std::string& input : inputs) {
    OpenOptions open = stoppable(common, stopped);
    open.inputs = {input};
    runs.push_back({input, collect_figures(open, common.selection(), {.without_timeline = true, .metric = metric})});
  }
  return runs;
}

}  // namespace

std::string PythonCheck::headline() const {
  return valid_utf8(result_.headline);
}

std::string PythonCheck::text(size_t width) const {
  TextOptions options;
  options.width = width;
  return valid_utf8(check_as_text(result_, options));
}

std::string PythonCheck::markdown() const {
  return valid_utf8(check_as_markdown(result_));
}

std::vector<PythonTable> PythonCheck::tables() const {
  return {result_.tables.begin(), result_.tables.end()};
}

PythonCheck check(const std::vector<std::string>& baseline, const std::vector<std::string>& candidate,
                  const CheckArguments& words, const InputOptions& common) {
  const CheckOptions options = words.options();
  return work([=](const Stopped& stopped) {
    return PythonCheck(check_runs(opened(baseline, common, words.metric, stopped),
                                  opened(candidate, common, words.metric, stopped), options),
                       options.inconclusive);
  });
}

}  // namespace cgpu::python
