// Inputs of the verbs that compare runs: each is a run by itself.
#pragma once

#include <string>
#include <vector>

#include "cli/input_options.h"
#include "gate/figures/collect_figures.h"
#include "table/table.h"

namespace cgpu {

/// A pattern ("runs/*.cgpu", as it comes in quotes) stands for the files and folders that match, in order of their
/// names; everything else for itself. Throws Error for a pattern that nothing matches.
std::vector<std::string> separate_runs(const std::vector<std::string>& inputs);

/// The figures of one of them, opened with a progress bar as `common` says; `info`: also its table of this name.
RunFigures figures_of_run(const std::string& run, const InputOptions& common, const WantedFigures& wanted = {},
                          Table* info = nullptr);

/// Opens runs that are compared with each other, one after another: by their timelines, or, where one of them has none
/// or a metric is named, by one metric of their call trees, the main one of the first that is met.
class ComparedRunOpener {
 public:
  /// `metric`: as people type it; "" for none.
  ComparedRunOpener(const InputOptions& common, const std::string& metric)
      : common_(common), wanted_{true, metric}, by_call_trees_(!metric.empty()) {}

  /// `info`: its table of this name. Throws Error.
  RunFigures open(const std::string& run, Table& info);
  /// Of the runs so far.
  bool by_call_trees() const { return by_call_trees_; }

 private:
  const InputOptions& common_;
  WantedFigures wanted_;
  bool by_call_trees_;
};

}  // namespace cgpu
