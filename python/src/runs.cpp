#include "runs.h"

#include <algorithm>
#include <utility>

#include "base/json_text.h"
#include "gate/figures/collect_figures.h"
#include "gate/figures/run_properties.h"
#include "gate/history.h"
#include "opening.h"
#include "session/profile_source.h"
#include "session/selection/selection.h"
#include "work.h"

namespace cgpu::python {

namespace {

std::vector<std::string> valid(std::vector<std::string> lines) {
  for (std::string& line : lines) line = valid_utf8(line);
  return lines;
}

}  // namespace

std::map<std::string, std::string> PythonFigures::properties() const {
  std::map<std::string, std::string> valid;
  for (const auto& [key, value] : properties_) valid.emplace(valid_utf8(key), valid_utf8(value));
  return valid;
}

PythonFigures figures(const std::string& input, const std::string& metric, const InputOptions& common) {
  return work([=](const Stopped& stopped) {
    OpenOptions open = stoppable(common, stopped);
    open.inputs = {input};
    Table info("info", "");
    RunFigures figures =
        collect_figures(ProfileSource(open, common.selection()), {.without_timeline = true, .metric = metric}, &info);
    return PythonFigures({input, std::move(figures)}, properties_of(input, info));
  });
}

ToldTables compare_runs(const std::vector<const PythonFigures*>& runs, const std::vector<std::string>& names,
                        const std::vector<std::string>& properties, const std::string& by) {
  std::vector<GivenRun> given;
  for (size_t i = 0; i < runs.size(); ++i) given.push_back({{names[i], runs[i]->run().figures}, properties[i], {}});
  const bool by_call_trees =
      std::any_of(runs.begin(), runs.end(), [](const PythonFigures* run) { return run->run().figures.span_ns == 0; });
  return work([given = std::move(given), by, by_call_trees](const Stopped&) mutable {
    ManyRuns many = cgpu::compare_runs(std::move(given), by, by_call_trees);
    ToldTables told{valid(std::move(many.words)), {}};
    for (Table* table : {&many.runs, &many.groups, &many.statistics}) told.tables.emplace_back(std::move(*table));
    return told;
  });
}

ToldTables history(const std::vector<std::string>& inputs, const InputOptions& common) {
  return work([=](const Stopped& stopped) {
    std::vector<CheckedRun> runs;
    for (const std::string& input : inputs) {
      for (const std::string& run : runs_of_history(input)) {
        OpenOptions open = stoppable(common, stopped);
        open.inputs = {run};
        runs.push_back({run, collect_figures(ProfileSource(open, common.selection()))});
      }
    }
    History history = history_of(std::move(runs));
    ToldTables told{valid(std::move(history.changed)), {}};
    if (told.words.empty())
      told.words = {"No change of level in " + std::to_string(history.runs.row_count()) + " runs."};
    if (!history.judged.empty()) history.remarks.insert(history.remarks.begin(), history.judged);
    for (std::string& remark : valid(std::move(history.remarks))) told.words.push_back(std::move(remark));
    for (Table* table : {&history.runs, &history.changes, &history.change_points, &history.parts, &history.latest}) {
      told.tables.emplace_back(std::move(*table));
    }
    return told;
  });
}

}  // namespace cgpu::python
