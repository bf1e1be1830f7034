#include "scaling/scaled_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "gate/runs/many_figures.h"

namespace cgpu {

namespace {

constexpr double kLeastShare = 0.01;

Growth growth_of(const GrowthLaw& law) {
  if (law.term.is_constant()) return Growth::constant;
  if (law.term.is_growing()) return Growth::grows;
  return law.coefficient < 0 ? Growth::levels_off : Growth::falls;
}

std::optional<HeldOut> held_out(const std::vector<Measured>& runs, const std::vector<MeasuredSize>& means,
                                double left_out) {
  const auto size =
      std::find_if(means.begin(), means.end(), [&](const MeasuredSize& each) { return each.size == left_out; });
  if (size == means.end() || size->mean <= 0) return std::nullopt;
  std::vector<Measured> others;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(others),
               [&](const Measured& run) { return run.size != left_out; });
  const auto model = fit_growth(others);
  if (!model) return std::nullopt;
  return HeldOut{left_out, size->mean, model->of_runs(left_out, size->runs)};
}

ScaledFigure scaled(std::string kind, const ManyFigure& figure, const std::vector<double>& sizes, double left_out) {
  ScaledFigure of;
  of.kind = std::move(kind);
  of.name = figure.name;
  of.unit = figure.unit;
  of.values = figure.values;
  std::vector<Measured> runs;
  for (size_t run = 0; run < sizes.size(); ++run) {
    if (figure.values[run]) runs.push_back({sizes[run], *figure.values[run]});
  }
  of.means = means_by_size(runs);
  of.model = fit_growth(runs);
  of.held_out = held_out(runs, of.means, left_out);
  if (of.model) of.growth = growth_of(of.model->law);
  return of;
}

/// Functions, by what they spend themselves in all call paths.
std::vector<ManyFigure> functions_in(const std::vector<ManyFigure>& figures) {
  std::map<std::string, ManyFigure> by_name;
  for (const ManyFigure& path : figures) {
    if (path.kind != "call_exclusive") continue;
    const std::string name(CallFigures::function_of(path.name));
    const auto [at, is_new] = by_name.try_emplace(name, path);
    ManyFigure& function = at->second;
    function.name = name;
    if (is_new) continue;
    for (size_t run = 0; run < path.values.size(); ++run) {
      if (path.values[run]) function.values[run] = function.values[run].value_or(0) + *path.values[run];
    }
  }
  std::vector<ManyFigure> functions;
  for (auto& [name, figure] : by_name) functions.push_back(std::move(figure));
  return functions;
}

std::vector<ManyFigure> of_kind(const std::vector<ManyFigure>& figures, const std::string& kind) {
  std::vector<ManyFigure> found;
  std::copy_if(figures.begin(), figures.end(), std::back_inserter(found),
               [&](const ManyFigure& figure) { return figure.kind == kind; });
  return found;
}

/// The parts that are asked for, and their kind.
std::pair<std::string, std::vector<ManyFigure>> chosen_parts(const std::vector<ManyFigure>& figures,
                                                             const std::string& by) {
  const auto parts_of = [&](const std::string& kind) -> std::pair<std::string, std::vector<ManyFigure>> {
    if (kind == "class") return {kind, of_kind(figures, "kernel_class")};
    if (kind != "function") return {kind, of_kind(figures, kind)};
    std::vector<ManyFigure> functions = functions_in(figures);
    if (!functions.empty()) return {kind, std::move(functions)};
    return {"call", of_kind(figures, "call")};  // a metric that is no sum has no part that is a function's own
  };
  if (!by.empty()) {
    auto parts = parts_of(by);
    if (parts.second.empty()) throw Error(fmt::format("scale: --by {}: the runs have none", by));
    return parts;
  }
  for (const char* kind : {"op", "kernel", "function"}) {
    if (auto parts = parts_of(kind); !parts.second.empty()) return parts;
  }
  return {};
}

/// Not recorded, or 0 in all runs.
bool is_nothing(const ManyFigure& figure) {
  return std::none_of(figure.values.begin(), figure.values.end(),
                      [](const std::optional<double>& value) { return value.value_or(0) > 0; });
}

/// What call trees sum over ranks.
void divide_sums_by_ranks(const SizedRuns& sized, std::vector<ManyFigure>& figures) {
  for (ManyFigure& figure : figures) {
    if (figure.kind != "total" && !figure.kind.starts_with("call")) continue;
    for (size_t run = 0; run < sized.sizes.size(); ++run) {
      if (figure.values[run] && sized.runs[run].figures.calls.is_sum) *figure.values[run] /= sized.sizes[run];
    }
  }
}

bool matters(const ScaledFigure& part, const ScaledFigure& whole, double at) {
  if (part.last() >= kLeastShare * whole.last()) return true;
  return part.model && whole.model && part.model->at(at).value >= kLeastShare * whole.model->at(at).value;
}

/// Of those that grow, the fastest first; then what levels off, is constant, falls, and what has no law.
void sort_by_growth(std::vector<ScaledFigure>& parts) {
  std::ranges::stable_sort(parts, [](const ScaledFigure& a, const ScaledFigure& b) {
    if (a.matters != b.matters) return a.matters;
    if (a.growth != b.growth) return a.growth < b.growth;
    if (a.growth == Growth::grows && a.model->law.term != b.model->law.term) {
      return b.model->law.term < a.model->law.term;
    }
    return std::tuple(b.grown(), a.name) < std::tuple(a.grown(), b.name);
  });
}

}  // namespace

const char* text_of(Growth growth) {
  switch (growth) {
    case Growth::grows:
      return "grows";
    case Growth::levels_off:
      return "levels off";
    case Growth::constant:
      return "constant within noise";
    case Growth::falls:
      return "falls";
    case Growth::unknown:
      break;
  }
  return "";
}

ScaledFigures scaled_figures(const SizedRuns& sized, const ScalingOptions& options, double at, double left_out) {
  std::vector<ManyFigure> figures =
      options.by_call_trees ? figures_of_call_trees(sized.runs) : figures_of_timelines(sized.runs);
  if (options.per_rank) divide_sums_by_ranks(sized, figures);
  ScaledFigures all;
  for (const ManyFigure& figure : figures) {
    const bool is_general = figure.kind == "time" || figure.kind == "memory" || figure.kind == "total";
    if (!is_general || (!all.general.empty() && is_nothing(figure))) continue;
    all.general.push_back(scaled(figure.kind, figure, sized.sizes, left_out));
  }
  const auto [kind, parts] = chosen_parts(figures, options.by);
  all.kind = kind;
  for (const ManyFigure& part : parts) {
    ScaledFigure& last = all.parts.emplace_back(scaled(kind, part, sized.sizes, left_out));
    last.matters = matters(last, all.general.front(), at);
  }
  sort_by_growth(all.parts);
  return all;
}

}  // namespace cgpu
