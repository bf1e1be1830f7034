#include "library/run_check.h"

#include <utility>

#include "gate/check/check_options.h"
#include "gate/check/check_output.h"
#include "gate/figures/collect_figures.h"
#include "session/profile_source.h"
#include "session/selection/selection.h"

namespace cgpu {

struct RunCheck::Result {
  CheckResult check;
  CheckOptions::Inconclusive inconclusive = CheckOptions::Inconclusive::report;
};

RunCheck::RunCheck(const std::vector<std::string>& baseline, const std::vector<std::string>& candidate,
                   const CheckArguments& arguments, const InputOptions& common, const OpeningProgress& progress) {
  const CheckOptions options = options_of(arguments);
  const auto opened = [&](const std::vector<std::string>& inputs) {
    std::vector<CheckedRun> runs;
    for (const std::string& input : inputs) {
      OpenOptions open = common.open();
      open.inputs = {input};
      open.progress = progress;
      runs.push_back({input, collect_figures(ProfileSource(open, common.selection()),
                                             {.without_timeline = true, .metric = arguments.metric})});
    }
    return runs;
  };
  result_ = std::make_shared<const Result>(
      Result{check_runs(opened(baseline), opened(candidate), options), options.inconclusive});
}

std::string RunCheck::outcome() const {
  return text_of(result_->check.outcome);
}

int RunCheck::exit_code() const {
  return result_->check.exit_code(result_->inconclusive);
}

std::string RunCheck::headline() const {
  return result_->check.headline;
}

std::string RunCheck::text(size_t width) const {
  TextOptions options;
  options.width = width;
  return check_as_text(result_->check, options);
}

std::string RunCheck::markdown() const {
  return check_as_markdown(result_->check);
}

const std::vector<Table>& RunCheck::tables() const {
  return result_->check.tables;
}

}  // namespace cgpu
