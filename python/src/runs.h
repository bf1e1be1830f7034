// Many runs by their figures, for Python: what each takes, how they vary, and how they changed over time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/runs/many_runs.h"
#include "session/input_options.h"
#include "table.h"

namespace cgpu::python {

/// A run that was opened, and let go again.
class PythonFigures {
 public:
  PythonFigures(CheckedRun run, std::map<std::string, std::string> properties)
      : run_(std::move(run)), properties_(std::move(properties)) {}

  const CheckedRun& run() const { return run_; }
  /// What it says of itself (run_properties.h), by key.
  std::map<std::string, std::string> properties() const;
  /// The metric of its call tree that it is compared by where it has no timeline; "" where it has one.
  std::string metric() const { return run_.figures.span_ns == 0 ? run_.figures.calls.metric : ""; }

 private:
  CheckedRun run_;
  std::map<std::string, std::string> properties_;
};

/// Of a profile, a folder of those of its ranks, or a summary, opened as `common` says. `metric` of its call tree; ""
/// for the main one. Throws Error.
PythonFigures figures(const std::string& input, const std::string& metric, const InputOptions& common);

/// Tables with sentences about them, a line each.
struct ToldTables {
  std::vector<std::string> words;
  std::vector<PythonTable> tables;
};

/// The tables compare_runs, compare_groups and compare_statistics. Of each run what it is called, and the value of `by`
/// that it is grouped by; `by` is "" for one group.
ToldTables compare_runs(const std::vector<const PythonFigures*>& runs, const std::vector<std::string>& names,
                        const std::vector<std::string>& properties, const std::string& by);

/// The tables history, history_changes, history_change_points, history_parts and history_latest. `inputs`: runs, or
/// folders of summaries.
ToldTables history(const std::vector<std::string>& inputs, const InputOptions& common);

}  // namespace cgpu::python
