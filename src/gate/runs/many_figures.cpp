#include "gate/runs/many_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/error.h"
#include "gate/figures/samples.h"
#include "table/units.h"

namespace cgpu {

namespace {

ManyFigure figure_of(const Quantity& quantity, const std::vector<GivenRun>& runs) {
  ManyFigure figure{"time", quantity.name, "ns", {}, std::vector<bool>(runs.size())};
  for (const GivenRun& run : runs) {
    const auto sample = sample_of(quantity, {&run.figures}, false);
    // A sample has no value of 0, which such a quantity may well be.
    figure.values.push_back(sample ? sample->values[0] : 0.0);
  }
  return figure;
}

/// Figures of one kind by their names.
class NamedFigures {
 public:
  /// `absent`: of what no run has.
  explicit NamedFigures(ManyFigure absent) : absent_(std::move(absent)) {}

  void set(const std::string& name, size_t run, double value) {
    ManyFigure& figure = by_name_.try_emplace(name, absent_).first->second;
    figure.name = name;
    figure.values[run] = value;
    figure.missing[run] = false;
  }

  /// What takes most in any run comes first; what takes nothing in all of them is left out.
  void append_to(std::vector<ManyFigure>& figures) && {
    std::vector<ManyFigure> sorted;
    for (auto& [name, figure] : by_name_) {
      const bool is_something = std::any_of(figure.values.begin(), figure.values.end(),
                                            [](const std::optional<double>& value) { return value.value_or(0) != 0; });
      if (is_something) sorted.push_back(std::move(figure));
    }
    const auto largest = [](const ManyFigure& figure) {
      return *std::max_element(figure.values.begin(), figure.values.end());
    };
    std::ranges::stable_sort(sorted, [&](const ManyFigure& a, const ManyFigure& b) { return largest(a) > largest(b); });
    std::move(sorted.begin(), sorted.end(), std::back_inserter(figures));
  }

 private:
  ManyFigure absent_;
  std::map<std::string, ManyFigure> by_name_;
};

void add_times(const char* kind, const TimeFigures RunFigures::*times, const std::vector<GivenRun>& runs,
               std::vector<ManyFigure>& figures) {
  NamedFigures found(
      {kind, "", "ns", std::vector<std::optional<double>>(runs.size(), 0.0), std::vector<bool>(runs.size(), true)});
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const auto& [name, time] : runs[run].figures.*times) {
      if (time.total_ns <= 0 || runs[run].figures.steady <= 0) continue;
      found.set(name, run, static_cast<double>(time.total_ns) / static_cast<double>(runs[run].figures.steady));
    }
  }
  std::move(found).append_to(figures);
}

/// Of the first run that has a call tree; null where none has.
const CallFigures* first_calls(const std::vector<GivenRun>& runs) {
  for (const GivenRun& run : runs) {
    if (!run.figures.calls.metric.empty()) return &run.figures.calls;
  }
  return nullptr;
}

bool is_same_metric(const CallFigures& a, const CallFigures& b) {
  return a.metric == b.metric && a.unit == b.unit;
}

/// What is no sum has no value where there is nothing, unless it is a time.
bool is_none_zero(const CallFigures& calls) {
  const auto unit = find_unit(calls.unit);
  return calls.is_sum || (unit && unit->kind == Unit::Kind::time);
}

/// The call path below which most is; of several the outermost. "" without any.
std::string largest_path(const CallFigures& calls) {
  const auto less = [](const auto& a, const auto& b) { return a.second.inclusive < b.second.inclusive; };
  const auto found = std::max_element(calls.paths.begin(), calls.paths.end(), less);
  return found == calls.paths.end() ? "" : found->first;
}

/// Call paths by the metric of the first run that has call trees; runs without it record nothing of them.
void add_calls(const char* kind, double CallFigure::*member, const std::vector<GivenRun>& runs,
               std::vector<ManyFigure>& figures) {
  const CallFigures* first = first_calls(runs);
  if (first == nullptr) return;
  ManyFigure absent{kind, "", first->unit, {}, {}};
  for (const GivenRun& run : runs) {
    const bool has_none = is_same_metric(run.figures.calls, *first) && is_none_zero(*first);
    absent.values.push_back(has_none ? std::optional(0.0) : std::nullopt);
    absent.missing.push_back(has_none);
  }
  NamedFigures found(std::move(absent));
  for (size_t run = 0; run < runs.size(); ++run) {
    if (!is_same_metric(runs[run].figures.calls, *first)) continue;
    for (const auto& [path, figure] : runs[run].figures.calls.paths) found.set(path, run, figure.*member);
  }
  std::move(found).append_to(figures);
}

void add_all_calls(const std::vector<GivenRun>& runs, std::vector<ManyFigure>& figures) {
  add_calls("call", &CallFigure::inclusive, runs, figures);
  const CallFigures* first = first_calls(runs);
  if (first != nullptr && first->is_sum) add_calls("call_exclusive", &CallFigure::exclusive, runs, figures);
}

}  // namespace

std::vector<ManyFigure> figures_of_timelines(const std::vector<GivenRun>& runs) {
  const bool of_iterations = std::all_of(runs.begin(), runs.end(),
                                         [](const GivenRun& run) { return !run.figures.steady_iterations().empty(); });
  std::vector<ManyFigure> figures;
  for (const Quantity& quantity : quantities(of_iterations)) figures.push_back(figure_of(quantity, runs));
  ManyFigure memory{"memory", "peak_allocated", "bytes", {}, std::vector<bool>(runs.size())};
  for (const GivenRun& run : runs) {
    const auto peak = run.figures.peak_bytes;
    memory.values.push_back(peak ? std::optional(static_cast<double>(*peak)) : std::nullopt);
  }
  figures.push_back(std::move(memory));
  add_times("op", &RunFigures::ops, runs, figures);
  add_times("kernel_class", &RunFigures::classes, runs, figures);
  add_times("kernel", &RunFigures::kernels, runs, figures);
  add_times("layer", &RunFigures::layers, runs, figures);
  add_times("module", &RunFigures::modules, runs, figures);
  add_all_calls(runs, figures);
  return figures;
}

std::vector<ManyFigure> figures_of_call_trees(const std::vector<GivenRun>& runs) {
  const CallFigures* first = first_calls(runs);
  ManyFigure whole{"total",
                   first == nullptr ? "" : first->metric,
                   first == nullptr ? "" : first->unit,
                   {},
                   std::vector<bool>(runs.size())};
  std::string largest;  // where the root has none
  if (first != nullptr && !first->whole && !first->is_sum && is_none_zero(*first)) {
    largest = largest_path(*first);
    whole.name = fmt::format("{} of {}", first->metric, largest);
  }
  for (const GivenRun& run : runs) {
    const CallFigures& calls = run.figures.calls;
    if (first == nullptr || calls.metric.empty()) {
      throw Error(run.input, run.figures.span_ns == 0
                                 ? "has neither a timeline nor a call tree with values of the metric that is compared"
                                 : "has no call tree with values of the metric that is compared");
    }
    if (!is_same_metric(calls, *first)) {
      const auto named = [](const CallFigures& of) {
        return fmt::format("'{}'{}", of.metric, of.unit.empty() ? "" : " in " + of.unit);
      };
      throw Error(run.input, fmt::format("has the metric {}, other runs have {}: --metric names one that all have "
                                         "(table `metrics`)",
                                         named(calls), named(*first)));
    }
    const auto path = calls.paths.find(largest);
    whole.values.push_back(path == calls.paths.end() ? calls.whole : path->second.inclusive);
  }
  std::vector<ManyFigure> figures{std::move(whole)};
  add_all_calls(runs, figures);
  return figures;
}

}  // namespace cgpu
