#include "watch/run_judge.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "gate/figures/collect_figures.h"
#include "gate/figures/samples.h"
#include "gate/summarize.h"
#include "readers/reader.h"
#include "readers/unread_formats.h"
#include "session/profile_source.h"
#include "session/selection/selection.h"
#include "session/summaries/summary.h"
#include "session/summaries/summary_session.h"

namespace cgpu {

namespace {

bool has_profile(const std::string& folder) {
  if (is_profile_folder(folder) || stands_for_summaries(folder)) return true;
  const std::vector<ProfilePath> found = find_profiles({folder});
  return std::ranges::any_of(found, [](const ProfilePath& one) { return one.is_folder || is_profile(one.path); });
}

/// The summary of profiles; of summaries of ranks all of them as one.
std::string summary_bytes(const OpenOptions& open, const Selection& selection) {
  const std::optional<Summary> summary = summary_of(open, selection);
  if (!summary) return summarize(ProfileSource(open, selection), false).bytes;
  std::ostringstream bytes;
  write_summary(bytes, *summary);
  return std::move(bytes).str();
}

}  // namespace

RunJudge::RunJudge(InputOptions input, std::vector<CheckedRun> baseline, CheckOptions check)
    : input_(std::move(input)), baseline_(std::move(baseline)), check_(std::move(check)) {
  check_.explain = false;
}

std::string RunJudge::why_no_run(const std::string& path) const {
  if (::access(path.c_str(), R_OK) != 0) return path + ": cannot be read: " + std::strerror(errno);
  std::error_code failed;
  try {
    if (std::filesystem::is_directory(path, failed)) {
      if (has_profile(path)) return "";
      const std::string what = describe_unread_folder(path);
      return path + (what.empty() ? ": holds no profile" : ": is " + what);
    }
    if (!input_.input_format.empty() || is_summary(path) || is_profile(path)) return "";
    read_profile({path}, {});
  } catch (const Error& error) {
    return error.what();
  }
  return path + ": is no profile";
}

JudgedRun RunJudge::judge(const WatchedEntry& entry) const {
  InputOptions input = input_;
  input.inputs = {entry.path};
  OpenOptions open = input.open();
  JudgedRun run;
  open.warn = [&run](const std::string& warning) { run.warnings.push_back(warning); };
  const Selection selection = input.selection();
  run.summary = summary_bytes(open, selection);
  open.warn = nullptr;  // the same once more
  // A summary has the main metric of a call tree alone.
  const bool needs_profile = !check_.metric.empty() && !stands_for_summaries(entry.path);
  RunFigures figures = needs_profile ? collect_figures(ProfileSource(open, selection),
                                                       {.without_timeline = true, .metric = check_.metric})
                                     : figures_in(SummarySession(summary_from_bytes(run.summary, entry.path), open));
  if (figures.span_ns > 0) run.step_ns = time_of(figures);
  run.peak_bytes = figures.peak_bytes;
  if (baseline_.empty()) return run;
  CheckResult check = check_runs(baseline_, {{entry.name, std::move(figures)}}, check_);
  run.outcome = watch_outcome_of(check.outcome);
  run.headline = std::move(check.headline);
  return run;
}

}  // namespace cgpu
